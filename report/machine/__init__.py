"""What stands behind the numbers: machine, program, dates, hosts, and whether today's tree would
measure them again."""

"""One thing beside another: machines, hosts of one model, libraries, independent timers."""

document.querySelectorAll("table.sortable").forEach((table) => {
  const heads = [...[...table.tHead.rows].at(-1).cells];
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };
  const order = (first, second) => {
    const numbers = typeof first === "number" && typeof second === "number";
    return numbers ? first - second : String(first).localeCompare(String(second), undefined, {numeric: true});
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const measured = head.classList.contains("number");
      const rows = [...table.tBodies[0].rows].map((row) => [value(row, column), row]);
      const missing = (one) => measured && typeof one === "string";
      rows.sort(([first], [second]) => missing(first) - missing(second) || (up ? 1 : -1) * order(first, second));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  });
});

// Every table's CSV is inside the page: one JSON of stem -> text, deflated, in base64.
(() => {
  const packed = document.getElementById("tables-csv");
  if (!packed || !packed.textContent || typeof DecompressionStream === "undefined") return;
  let texts;
  const unpacked = () => texts ??= (async () => {
    const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  })();
  document.querySelectorAll("button.csv").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([(await unpacked())[button.dataset.csv]], {type: "text/csv"}));
      link.download = `${button.dataset.csv}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  });
})();

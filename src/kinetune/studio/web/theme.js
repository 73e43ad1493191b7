/* Runs before the first paint, so that themes never flash. */
(() => {
  const query = new URLSearchParams(location.search),
    asked = query.get("theme");
  document.documentElement.toggleAttribute("data-lite", query.has("lite"));
  let kept = null;
  try {
    kept = localStorage.getItem("kinetune-theme");
  } catch {
    kept = null;
  }
  document.documentElement.dataset.theme = asked === "light" || asked === "dark" ? asked : (kept ?? "dark");
})();

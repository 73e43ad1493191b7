/* Runs before the first paint, so that themes never flash. */
(() => {
  const asked = new URLSearchParams(location.search).get("theme");
  let kept = null;
  try {
    kept = localStorage.getItem("kinetune-theme");
  } catch {
    kept = null;
  }
  document.documentElement.dataset.theme = asked === "light" || asked === "dark" ? asked : (kept ?? "dark");
})();

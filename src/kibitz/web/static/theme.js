// Light, dark, or as the system says. Runs before the page is painted.
const THEMES = ["auto", "light", "dark"];
const root = document.documentElement;
const chosen = () => {
  const kept = localStorage.getItem("kibitz-theme");
  return THEMES.includes(kept) ? kept : "auto";
};
function show(theme) {
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
  window.Quasar?.Dark.set(theme === "auto" ? "auto" : theme === "dark");
  for (const field of document.querySelectorAll(".theme")) field.value = theme;
}
document.addEventListener("change", (event) => {
  if (!event.target.matches(".theme")) return;
  localStorage.setItem("kibitz-theme", event.target.value);
  show(event.target.value);
});
window.addEventListener("storage", () => show(chosen()));
new MutationObserver(() => {
  const field = document.querySelector(".theme:not([data-set])");
  if (field) { field.dataset.set = ""; show(chosen()); }
}).observe(root, { childList: true, subtree: true });
show(chosen());

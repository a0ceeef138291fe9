// Runs before the first paint, so that no page flashes in the wrong theme or language.
(() => {
  const kept = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // storage may be switched off; the system's choice stands then
    }
  };
  const page = document.documentElement;
  const theme = kept("theme");
  if (theme === "light" || theme === "dark") page.dataset.theme = theme;
  const asked = new URLSearchParams(location.search).get("lang") || kept("language") || navigator.language;
  page.lang = asked.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
})();

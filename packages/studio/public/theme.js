// Runs before the first paint, so that a page in dark never flashes white.
try {
  const theme = localStorage.getItem("coterie.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system decides.
}

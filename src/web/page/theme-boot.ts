// Loaded before anything is painted, so that a theme that was chosen by hand does not flash. The name is theme.ts's.
try {
  const theme = localStorage.getItem('holdfast.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing has the theme of its system.
}

// Plays the recordings of a page, with the colours of the page. Material changes pages without loading them anew.
document$.subscribe(() => {
  for (const place of document.querySelectorAll(".recording:empty")) {
    AsciinemaPlayer.create(place.dataset.cast, place, {
      fit: "width",
      idleTimeLimit: 2,
      poster: "npt:0:03",
      terminalFontSize: "14px",
      theme: document.body.dataset.mdColorScheme === "slate" ? "asciinema" : "solarized-light",
    });
  }
});

package main

import "github.com/approvald/approvald/internal/card"

// What comes from somebody else is shown the way that every surface shows it.

func visible(s string) string { return card.Visible(s) }

func visibleLines(s string) []string { return card.VisibleLines(s) }

func visibleJSON(text []byte) []byte { return card.VisibleJSON(text) }

func clip(line string, width int) string { return card.Clip(line, width) }

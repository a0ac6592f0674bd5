// Dark or light: as the system says, unless the person has chosen.

import { computed, effect, signal } from "@preact/signals-core";
import { saved } from "./saved.ts";

const query = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(query?.matches ?? true);
query?.addEventListener("change", (event) => (systemIsDark.value = event.matches));

export const isDark = computed(() => (saved.theme.value === "auto" ? systemIsDark.value : saved.theme.value === "dark"));

export function applyTheme(): void {
  effect(() => document.documentElement.setAttribute("data-theme", isDark.value ? "dark" : "light"));
}

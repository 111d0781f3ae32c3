const focused = new WeakSet<HTMLElement>()

/** Moves the focus to a control when it appears. Pass it as `ref`. */
export function focusOnce(control: HTMLElement | null): void {
  if (!control || focused.has(control)) return
  focused.add(control)
  control.focus()
}

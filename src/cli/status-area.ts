/** A terminal whose lines can be written over. */
export interface Screen {
  /** Writes text as it is, control characters included. */
  readonly write: (text: string) => void
  /** Returns the current width, in characters. */
  readonly columns: () => number
}

const UP_AND_CLEAR = (lines: number): string => `\u001b[${lines}A\u001b[J`

/** Lines that stay at the bottom of a terminal, while other lines are written above them. */
export class StatusArea {
  readonly #screen: Screen
  #lines: readonly string[] = []
  #shown = 0

  constructor(screen: Screen) {
    this.#screen = screen
  }

  get columns(): number {
    return this.#screen.columns()
  }

  /** Removes the area, calls `write`, and shows the area again below. */
  above(write: () => void): void {
    this.#erase()
    write()
    this.#draw()
  }

  /** Replaces the lines. No line may be wider than the terminal. */
  show(lines: readonly string[]): void {
    this.#erase()
    this.#lines = lines
    this.#draw()
  }

  #erase(): void {
    if (this.#shown > 0) this.#screen.write(UP_AND_CLEAR(this.#shown))
    this.#shown = 0
  }

  #draw(): void {
    if (this.#lines.length === 0) return
    this.#screen.write(`${this.#lines.join('\n')}\n`)
    this.#shown = this.#lines.length
  }
}

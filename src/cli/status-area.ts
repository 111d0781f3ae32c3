/** A terminal in which what was written can be written over. */
export interface Screen {
  /** As it is, control characters included. */
  readonly write: (text: string) => void
  /** How wide it is now, in characters. */
  readonly columns: () => number
}

const UP_AND_CLEAR = (lines: number): string => `\u001b[${lines}A\u001b[J`

/** Lines that stay at the bottom of a screen, while others are written above them. */
export class BottomBlock {
  readonly #screen: Screen
  #lines: readonly string[] = []
  #shown = 0

  constructor(screen: Screen) {
    this.#screen = screen
  }

  get columns(): number {
    return this.#screen.columns()
  }

  /** Takes the block away, lets something be written, and puts it back below. */
  above(write: () => void): void {
    this.#erase()
    write()
    this.#draw()
  }

  /** Shows these lines instead of those before; none of them may be wider than the screen. */
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

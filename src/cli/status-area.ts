import { background } from './background.js'
import { widthOf } from './text-width.js'

/** The size of a terminal, in characters. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** A terminal whose lines can be written over. */
export interface Screen {
  /** Writes text as it is, control characters included. */
  readonly write: (text: string) => void
  /** Returns the current size. */
  readonly size: () => Size
}

/** Returns the lines for a size. No line may be wider than the terminal. */
export type Content = (size: Size) => readonly string[]

const UP_AND_CLEAR = (lines: number): string => `\u001b[${lines}A\r\u001b[J`

/** Lines that stay at the bottom of a terminal, while other lines are written above them. */
export class StatusArea {
  readonly #screen: Screen
  #content: Content = () => []
  /** The lines on the screen. */
  #shown: readonly string[] = []

  constructor(screen: Screen) {
    this.#screen = screen
  }

  /** Removes the area, calls `write`, and shows the area again below. */
  above(write: () => void): void {
    this.#erase()
    write()
    this.#draw()
  }

  /** Replaces the lines. */
  show(content: Content): void {
    this.#erase()
    this.#content = content
    this.#draw()
  }

  /** Draws the lines again, for the new size of the terminal. */
  resized(): void {
    this.#erase()
    this.#draw()
  }

  #erase(): void {
    if (this.#shown.length === 0) return
    // A terminal that became narrower has broken the lines, so each may take several rows by now.
    const { columns, rows } = this.#screen.size()
    const taken = this.#shown.reduce((sum, line) => {
      return sum + Math.max(1, Math.ceil(widthOf(line) / columns))
    }, 0)
    this.#screen.write(UP_AND_CLEAR(Math.min(taken, rows - 1)))
    this.#shown = []
  }

  #draw(): void {
    const content = this.#content
    // To tell of an error draws again, so the area stays empty meanwhile.
    this.#content = () => []
    const lines = background.run('draw the status', () => content(this.#screen.size())) ?? []
    this.#content = content
    if (lines.length === 0) return
    this.#screen.write(`${lines.join('\n')}\n`)
    this.#shown = lines
  }
}

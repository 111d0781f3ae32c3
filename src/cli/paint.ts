import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string

/** Colours where a person looks on and has not said no (https://no-color.org). */
export function painterFor(
  stream: { isTTY?: boolean },
  { NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
): Paint {
  const coloured = stream.isTTY === true && !NO_COLOR && TERM !== 'dumb'
  // Left to itself, it would look at the process's own output once more.
  return (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text)
}

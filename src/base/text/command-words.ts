/** A command goes on after a line end in quotes, or behind a backslash. */
const COMMAND = /^\s*(?<text>(?:\\[^]|'[^']*'|[^\\'\n])*)/
const WORD = /(?:\\[^\n]|'[^']*'|[^\\'\s])+/g

/** The words of a command, as they are written. */
export function wordsIn(command: string): readonly string[] {
  const { text = '' } = COMMAND.exec(command)?.groups ?? {}
  return text.match(WORD) ?? []
}

/** The value of an option that a command has before the program that it runs. */
export function optionIn(command: string, option: string): string | undefined {
  const all = wordsIn(command)
  const end = all.indexOf('--')
  const words = end === -1 ? all : all.slice(0, end)
  const at = words.indexOf(option)
  const joined = words.find((word) => word.startsWith(`${option}=`))?.slice(option.length + 1)
  const written = at === -1 ? joined : words[at + 1]
  return written?.replaceAll(/'([^']*)'|\\(.)/g, '$1$2')
}

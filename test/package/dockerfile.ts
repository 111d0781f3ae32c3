/** One instruction of a Dockerfile. */
export interface Instruction {
  /** `RUN`. */
  name: string
  /** The options before the arguments: `--from=build` is `{ from: 'build' }`. */
  flags: Readonly<Record<string, string>>
  /** The words of the list form, `["node", "a.js"]`. Undefined for the shell form. */
  list: readonly string[] | undefined
  /** The arguments as they are written. */
  text: string
}

const KNOWN = [
  'FROM',
  'WORKDIR',
  'COPY',
  'RUN',
  'ENV',
  'USER',
  'EXPOSE',
  'HEALTHCHECK',
  'ENTRYPOINT',
  'CMD',
]

/**
 * Reads a Dockerfile: comments, lines that continue after a backslash, options, and lists. It supports neither
 * variables in instructions nor here-documents, and refuses instructions that the tests cannot run.
 */
export function parseDockerfile(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line))
  const joined = lines.join('\n').replaceAll(/\\\n\s*/g, ' ')
  return joined.split('\n').map((line) => {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    if (!KNOWN.includes(name)) throw new Error(`The tests cannot run this instruction: ${line}`)
    if (rest.includes('<<')) throw new Error(`The tests cannot run here-documents: ${line}`)
    const [, options = '', args = ''] = /^((?:--[\w-]+=\S+\s+)*)(.*)$/.exec(rest)!
    const flags = [...options.matchAll(/--([\w-]+)=(\S+)/g)].map(([, key, value]) => [key!, value!])
    const own = name === 'HEALTHCHECK' ? args.replace(/^CMD\s+/, '') : args
    const list = own.startsWith('[') ? (JSON.parse(own) as string[]) : undefined
    return { name, flags: Object.fromEntries(flags) as Record<string, string>, list, text: own }
  })
}

/** Returns the instructions of each stage, by its name. The last one is `final` if it has no name. */
export function stagesOf(instructions: readonly Instruction[]): Map<string, Instruction[]> {
  const stages = new Map<string, Instruction[]>()
  let current: Instruction[] = []
  for (const each of instructions) {
    if (each.name === 'FROM') {
      const [, name = 'final'] = / AS (\S+)$/i.exec(each.text) ?? []
      stages.set(name, (current = []))
    } else current.push(each)
  }
  return stages
}

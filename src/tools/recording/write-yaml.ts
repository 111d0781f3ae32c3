import { isInstalledByPip } from '../../base/text/command.js'
import { Document, isMap, isScalar, isSeq, parse, visit, type Node } from 'yaml'

const WIDTH = 100
/** Tells editors where npm installs the schema. */
const SCHEMA = isInstalledByPip
  ? []
  : ['# yaml-language-server: $schema=./node_modules/svtrain-emulator/dist/scenario.schema.json']

/** Writes a scenario as a person would: short parts on one line, and what is known about it above. */
export function writeYaml(
  content: Readonly<Record<string, unknown>>,
  header: readonly string[],
): string {
  const document = new Document(content, { aliasDuplicateObjects: false })
  flowShort(document.contents as Node, 0)
  const comment = header.flatMap((line) => wrapped(line, WIDTH - 2)).map((line) => `# ${line}`)
  const text = document.toString({
    lineWidth: WIDTH,
    flowCollectionPadding: true,
    singleQuote: true,
  })
  return `${[...SCHEMA, ...comment].join('\n')}\n${compacted(text)}`
}

/** Writes lists in fewer lines and characters, where that changes no text that looks like one. */
function compacted(text: string): string {
  const contentOf = (yaml: string): string => JSON.stringify(parse(yaml))
  const content = contentOf(text)
  return [withoutListPadding, withNumbersInLines].reduce((rest, compact) => {
    const shorter = compact(rest)
    return shorter === rest || contentOf(shorter) !== content ? rest : shorter
  }, text)
}

/** Writes long lists of numbers with several numbers on a line. */
function withNumbersInLines(text: string): string {
  return text.replaceAll(
    /^( *)([\w-]+):\n((?:\1 +- -?\d[\d.e+-]*\n){2,})/gm,
    (_all, indent: string, key: string, items: string) => {
      const numbers = items.match(/(?<=- )\S+/g)!.join(', ')
      const lines = wrapped(numbers, WIDTH - indent.length - 6)
      return `${indent}${key}:\n${indent}  [${lines.join(`\n${indent}   `)}]\n`
    },
  )
}

/** Removes the spaces inside of brackets, which belong only to maps. */
function withoutListPadding(text: string): string {
  return text
    .replaceAll(/(?<=[:,{[-] )\[ |\[ (?=[{[])/g, '[')
    .replaceAll(/ \](?=[\n,\]]| \})/g, ']')
}

/** Writes each map and each list on one line if it fits, except at the top. */
function flowShort(node: Node, depth: number): void {
  if (!isMap(node) && !isSeq(node)) return
  const text = lengthOf(node)
  const isJob = isMap(node) && node.has('timeline')
  if (depth >= 2 && !isJob && text + depth * 2 <= WIDTH - 8) {
    visit(node, {
      Collection(_key, inner) {
        inner.flow = true
      },
    })
    return
  }
  for (const item of node.items) {
    const value = (isMap(node) ? (item as { value: unknown }).value : item) as Node
    flowShort(value, depth + 1)
  }
}

/** An estimate of the length on one line. */
function lengthOf(node: unknown): number {
  if (isScalar(node)) return String(node.value).length + 2
  if (isMap(node)) {
    return node.items.reduce((sum, { key, value }) => {
      return sum + String(isScalar(key) ? key.value : key).length + 2 + lengthOf(value)
    }, 4)
  }
  if (isSeq(node)) return node.items.reduce<number>((sum, item) => sum + lengthOf(item), 2)
  return 0
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.replaceAll(/\s+/g, ' ').split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

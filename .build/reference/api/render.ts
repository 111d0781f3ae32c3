import { posix } from 'node:path'
import { block, code, page, pageFrom, table } from '../markdown.js'
import { formatted } from '../../format.js'
import type { Comment, Entry, Export, Member, Mention } from './model.js'

/** The page of each entry point below docs/reference/api/, by the name of the entry. */
function pageOf(entry: string): string {
  const [, part = 'emulator'] = /[/(](\w+)/.exec(entry) ?? []
  return `${part}.md`
}

/** Where each export is described. */
interface Place {
  readonly entry: string
  readonly exported: Export
}

/** Writes the pages of the entry points. An export of two entries is described on the first page. */
export function renderApi(entries: readonly Entry[]): Record<string, string> {
  const places = new Map<number, Place>()
  for (const { name, exports, unexported } of entries) {
    for (const exported of [...exports, ...unexported]) {
      if (!places.has(exported.id)) places.set(exported.id, { entry: name, exported })
    }
  }
  const pages = entries.map((entry) => [pageOf(entry.name), new EntryPage(entry, places)] as const)
  const heads = ['entry point', 'what it is for', 'functions and constants']
  const rows = pages.map(([, each]) => each.row())
  return Object.fromEntries([
    ['README.md', pageFrom('api', { entries: table(heads, rows) })],
    ...pages.map(([file, each]) => [file, each.render()]),
  ])
}

class EntryPage {
  readonly #entry: Entry
  readonly #places: ReadonlyMap<number, Place>

  constructor(entry: Entry, places: ReadonlyMap<number, Place>) {
    this.#entry = entry
    this.#places = places
  }

  /** The cells of the entry in the list of all. */
  row(): string[] {
    const { name, summary, exports } = this.#entry
    const values = exports.filter(({ kind }) => kind === 'function' || kind === 'constant')
    const first = summary.split('\n\n', 1).join('')
    const links = values.map((each) => `[${code(each.name)}](${this.#addressOf(each, '')})`)
    return [`[${code(name)}](${pageOf(name)})`, this.#text(first), links.join(', ')]
  }

  render(): string {
    const { name, summary, exports, unexported } = this.#entry
    const isHere = ({ id }: Export): boolean => this.#places.get(id)?.entry === name
    const here = exports.filter(isHere)
    const parts = here.flatMap((each, index) => {
      const before = here[index - 1]?.group ?? ''
      return [each.group === before ? '' : `## ${each.group}`, ...this.#export(each)]
    })
    const others = exports.filter((each) => !isHere(each))
    if (others.length > 0) {
      const links = others.map((each) => this.#link(each)).join(', ')
      parts.push('## Also exported', `These are the same as in other entry points: ${links}.`)
    }
    if (unexported.length > 0) {
      parts.push('## Other types', 'Named by declarations above, but not exported.')
      parts.push(...unexported.flatMap((each) => this.#export(each)))
    }
    return page(name, this.#text(summary), ...parts)
  }

  #export(exported: Export): string[] {
    const { name, comment } = exported
    const heading = `### ${name}`
    const described = this.#places.get(exported.id)!.exported
    if (described !== exported) {
      const same = `The same as ${this.#link(exported)}.`
      return [heading, comment.deprecated === undefined ? same : `Deprecated. ${same}`]
    }
    const before = this.#membersBefore(exported)
    const members = before === undefined ? exported.members : []
    const properties = members.filter(({ kind }) => kind === 'property')
    const methods = members.filter(({ kind }) => kind === 'method')
    return [
      heading,
      ...this.#section([exported, ...properties], declarationOf(exported, properties)),
      before ?? '',
      ...methods.flatMap((method) => [
        `#### ${name}.${method.name}`,
        ...this.#section([method], `interface Alone {\n${method.text}\n}`),
      ]),
    ]
  }

  /** The emulator of browsers has the members of the emulator in Node, except some. */
  #membersBefore({ name, members }: Export): string | undefined {
    const { entry, exported } = [...this.#places.values()].find(
      (each) => each.exported.name === name,
    )!
    const own = members.map((member) => member.name)
    const theirs = exported.members.map((member) => member.name)
    const isPart = own.length > 0 && own.every((each) => theirs.includes(each))
    if (entry === this.#entry.name || !isPart) return undefined
    const except = theirs.filter((each) => !own.includes(each)).map(code)
    const link = `[${code(name)} of ${code(entry)}](${pageOf(entry)}#${name.toLowerCase()})`
    return `It has the members of ${link}, except ${except.join(', ')}.`
  }

  /** What the first comment says, and a declaration of all. */
  #section(all: readonly [Export | Member, ...Member[]], declaration: string): string[] {
    const { summary, params, returns, throws, examples, deprecated } = all[0].comment
    const list = [
      ...Array.from(params, ([name, meaning]) => `- ${code(name)}: ${this.#text(meaning)}`),
      ...(returns === '' ? [] : [`- Returns: ${this.#text(returns)}`]),
      ...throws.map(({ type, when }) => `- Throws ${this.#named(type)}: ${this.#text(when)}`),
    ]
    const mentions = all.flatMap((each) => [...each.mentions])
    return [
      deprecated === undefined ? '' : `Deprecated. ${this.#text(deprecated)}`,
      this.#text(summary),
      declaration === '' ? '' : block('ts', this.#asExported(declaration, mentions)),
      list.join('\n'),
      this.#see(mentions, all[0]),
      ...examples.map((text) => block('ts', text)),
    ]
  }

  /** A declaration with types under the names by which they are exported. */
  #asExported(declaration: string, mentions: readonly Mention[]): string {
    let text = declaration
    for (const [name, id] of mentions) {
      const exported = this.#places.get(id)?.exported.name ?? name
      if (exported !== name) text = text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), exported)
    }
    return text
  }

  /** Links to the types that a declaration names. */
  #see(mentions: readonly Mention[], except: Export | Member): string {
    const ids = new Set(mentions.map(([, id]) => id))
    const links = [...ids].flatMap((id) => {
      const exported = this.#places.get(id)?.exported
      return exported === undefined || exported === except ? [] : this.#link(exported)
    })
    return links.length === 0 ? '' : `See ${links.join(', ')}.`
  }

  #link(exported: Export): string {
    const { name } = this.#places.get(exported.id)!.exported
    return `[${code(name)}](${this.#addressOf(exported, this.#entry.name)})`
  }

  /** Where an export is described, as an address for a page. */
  #addressOf(exported: Export, from: string): string {
    const { entry, exported: described } = this.#places.get(exported.id)!
    return `${entry === from ? '' : pageOf(entry)}#${described.name.toLowerCase()}`
  }

  /** A link to an export by its name: that of this entry, or else of another. */
  #named(name: string): string {
    const described = Array.from(this.#places.values(), ({ exported }) => exported)
    const found = [...this.#entry.exports, ...described].find((each) => each.name === name)
    return found ? this.#link(found) : code(name)
  }

  /** The text of a comment, with links. */
  #text(text: string): string {
    return text
      .replaceAll(/`docs\/([\w/-]+)\.md`/g, (_, path: string) => {
        const file = posix.relative('docs/reference/api', `docs/${path}.md`)
        return `[${posix.basename(path)}](${file})`
      })
      .trim()
  }
}

/** The declaration of an export, with its properties. */
function declarationOf({ kind, comment, text }: Export, properties: readonly Member[]): string {
  const codeOfError = kind === 'class' && properties.find(({ name }) => name === 'code')
  const saysCode = comment.summary.includes('SVTRAIN_')
  const shown = properties.filter((each) => each !== codeOfError || !saysCode)
  if (shown.length === 0) return codeOfError ? '' : text
  const lines = shown.map((each) => tsdoc(each.comment) + each.text)
  return `${text}${kind === 'type' ? ' =' : ''} {\n${lines.join('\n')}\n}`
}

/** The comment of a property, as TSDoc. */
function tsdoc({ summary, deprecated }: Comment): string {
  const text = deprecated === undefined ? summary : `Deprecated. ${deprecated} ${summary}`.trim()
  if (text === '') return ''
  const lines = text.split('\n').map((line) => ` * ${line}\n`)
  return lines.length === 1 ? `/** ${text} */\n` : `/**\n${lines.join('')} */\n`
}

/** A method alone is no TypeScript, so the formatter gets it inside of an interface. */
const ALONE = /^interface Alone \{\n([^]*?)\n\}$/gm

/** Formats the code on a page. */
export async function withFormattedCode(markdown: string): Promise<string> {
  const text = await formatted('page.md', markdown)
  return text.replaceAll(ALONE, (_, method: string) => method.replaceAll(/^ {2}/gm, ''))
}

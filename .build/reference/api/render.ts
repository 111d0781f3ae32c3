import { posix } from 'node:path'
import { block, code, page, pageFrom, table } from '../markdown.js'
import type { Comment, Entry, Export, Member, Parameter } from './model.js'

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
  const places = new Map<string, Place>()
  for (const { name, groups, unexported } of entries) {
    for (const exported of [...groups.flatMap((group) => group.exports), ...unexported]) {
      if (!places.has(exported.id)) places.set(exported.id, { entry: name, exported })
    }
  }
  const pages = entries.map((entry) => new EntryPage(entry, places))
  return Object.fromEntries([
    [
      'README.md',
      pageFrom('api', {
        entries: table(
          ENTRY_HEADS,
          pages.map((each) => each.row()),
        ),
      }),
    ],
    ...pages.map((each) => [each.file, each.render()]),
  ])
}

const ENTRY_HEADS = ['entry point', 'what it is for', 'functions and constants']

class EntryPage {
  readonly #entry: Entry
  readonly #places: ReadonlyMap<string, Place>

  constructor(entry: Entry, places: ReadonlyMap<string, Place>) {
    this.#entry = entry
    this.#places = places
  }

  /** The name of the file in docs/reference/api/. */
  get file(): string {
    return pageOf(this.#entry.name)
  }

  /** The cells of the entry in the list of all. */
  row(): string[] {
    const { name, summary, groups } = this.#entry
    const values = groups
      .flatMap(({ exports }) => exports)
      .filter(({ kind }) => kind === 'function' || kind === 'constant')
    const first = summary.split('\n\n', 1).join('')
    const links = values.map((each) => `[${code(each.name)}](${this.#addressOf(each, '')})`)
    return [`[${code(name)}](${this.file})`, this.#text(first), links.join(', ')]
  }

  render(): string {
    const { name, summary, groups, unexported } = this.#entry
    const isHere = ({ id }: Export): boolean => this.#places.get(id)?.entry === name
    const parts = groups.flatMap(({ title, exports }) => {
      const here = exports.filter(isHere)
      const heading = title === '' || here.length === 0 ? '' : `## ${title}`
      return [heading, ...here.flatMap((each) => this.#export(each))]
    })
    const others = groups.flatMap(({ exports }) => exports.filter((each) => !isHere(each)))
    const links = others.map((each) => this.#link(each)).join(', ')
    const also =
      others.length > 0
        ? ['## Also exported', `These are the same as in other entry points: ${links}.`]
        : []
    const more = unexported.flatMap((each) => this.#export(each))
    if (more.length > 0) {
      more.unshift(
        '## Other types',
        'The signatures above name these types. You cannot import them.',
      )
    }
    return page(name, this.#text(summary), ...parts, ...also, ...more)
  }

  #export(exported: Export): string[] {
    const { name, kind, comment, signatures, members } = exported
    const heading = `### ${name}`
    const described = this.#places.get(exported.id)!.exported
    if (described !== exported) {
      const same = `The same as ${this.#link(exported)}.`
      return [heading, comment.deprecated === undefined ? same : `Deprecated. ${same}`]
    }
    const same = this.#sameAsBefore(exported)
    const errorCode = members.find((member) => member.name === 'code')
    const isError = kind === 'class' && errorCode !== undefined
    const saysCode = comment.summary.includes('SVTRAIN_')
    const own = members.filter((member) => member !== errorCode || !saysCode)
    return [
      heading,
      isError ? '' : this.#code(signatures, exported),
      this.#comment(comment, exported),
      ...(same ?? this.#members(own, name)),
    ]
  }

  /** The emulator of browsers has the members of the emulator in Node, except some. */
  #sameAsBefore({ name, id, members }: Export): string[] | undefined {
    if (members.length === 0) return undefined
    const ids = new Set(members.map((member) => member.id))
    for (const { entry, exported } of this.#places.values()) {
      if (exported.id === id || exported.name !== name || entry === this.#entry.name) continue
      const others = new Set(exported.members.map((member) => member.id))
      if (![...ids].every((each) => others.has(each))) continue
      const missing = exported.members.filter((member) => !ids.has(member.id))
      const except = missing.map((member) => code(member.name)).join(', ')
      const link = `[${code(name)} of ${code(entry)}](${pageOf(entry)}#${anchorOf(name)})`
      return [`It has the members of ${link}, except ${except}.`]
    }
    return undefined
  }

  #members(members: readonly Member[], of: string): string[] {
    const properties = members.filter(({ kind }) => kind === 'property')
    const methods = members.filter(({ kind }) => kind === 'method')
    return [
      table(
        ['property', 'type', 'meaning'],
        properties.map((property) => [
          code(property.name) + (property.isOptional ? ' (optional)' : ''),
          this.#type(property.signatures.join(), property),
          this.#inTable(property.comment),
        ]),
      ),
      ...methods.flatMap((method) => [
        `#### ${of}.${method.name}`,
        this.#code(method.signatures, method),
        method.comment.deprecated === undefined
          ? ''
          : `Deprecated. ${this.#text(method.comment.deprecated)}`,
        this.#comment(method.comment, method),
      ]),
    ]
  }

  #comment(comment: Comment, of: Export | Member): string {
    const { params, returns, throws } = comment
    const parameters = of.parameters.flatMap((each) => this.#parameter(each, of, params))
    const list = [
      ...parameters,
      ...this.#returned(returns, of),
      ...throws.map(({ type, when }) => `- Throws ${this.#named(type)}: ${this.#text(when)}`),
    ]
    const examples = comment.examples.map((text) => block('ts', text))
    return [this.#text(comment.summary), list.join('\n'), ...examples].filter(Boolean).join('\n\n')
  }

  /** A meaning, or a type that has a description. */
  #returned(meaning: string, of: Export | Member): string[] {
    const type = this.#type(of.result ?? '', of)
    const link = type.includes('](') ? ` ${type}` : ''
    if (meaning === '' && link === '') return []
    return [`- Returns${link}${meaning === '' ? '' : `: ${this.#text(meaning)}`}`]
  }

  /** Signatures, with types under the names by which they are exported. */
  #code(signatures: readonly string[], { mentions }: Export | Member): string {
    let text = signatures.join('\n')
    for (const [name, id] of mentions) {
      const exported = this.#places.get(id)?.exported.name ?? name
      if (exported !== name) text = text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), exported)
    }
    return block('ts', text)
  }

  /** Only what the signature does not say: a meaning, or a type that has a description. */
  #parameter(
    { name, type, isOptional }: Parameter,
    of: Export | Member,
    meanings: Comment['params'],
  ): string[] {
    const meaning = meanings.get(name.replace('...', '')) ?? ''
    const shown = this.#type(type, of)
    if (meaning === '' && !shown.includes('](')) return []
    const optional = isOptional ? ', optional' : ''
    const text = meaning === '' ? '' : `: ${this.#text(meaning)}`
    return [`- ${code(name)} (${shown}${optional})${text}`]
  }

  #inTable({ summary, deprecated }: Comment): string {
    const text = this.#text(summary)
      .replaceAll(/\.?\n- /g, '; ')
      .replaceAll(':;', ':')
    return deprecated === undefined ? text : `Deprecated. ${this.#text(deprecated)} ${text}`.trim()
  }

  /** Writes a type as code. Names of described types become links. */
  #type(type: string, { mentions }: Export | Member): string {
    const names = [...mentions].filter(([, id]) => this.#places.has(id))
    if (names.length === 0) return code(inOneLine(type))
    const pattern = new RegExp(`\\b(${names.map(([name]) => name).join('|')})\\b`)
    return inOneLine(type)
      .split(pattern)
      .map((part, index) => {
        const id = index % 2 === 1 ? mentions.get(part) : undefined
        if (id !== undefined) return this.#link(this.#places.get(id)!.exported)
        return part === '' ? '' : codeWithSpace(part)
      })
      .join('')
  }

  #link(exported: Export): string {
    const { name } = this.#places.get(exported.id)!.exported
    return `[${code(name)}](${this.#addressOf(exported, this.#entry.name)})`
  }

  /** Where an export is described, as an address for a page. */
  #addressOf(exported: Export, from: string): string {
    const { entry, exported: described } = this.#places.get(exported.id)!
    return `${entry === from ? '' : pageOf(entry)}#${anchorOf(described.name)}`
  }

  /** A link to an export by its name: that of this entry, or else of another. */
  #named(name: string): string {
    const own = this.#entry.groups
      .flatMap(({ exports }) => exports)
      .find((each) => each.name === name)
    const other = [...this.#places.values()].find(
      ({ exported }) => exported.name === name,
    )?.exported
    const found = own ?? other
    return found ? this.#link(found) : code(name)
  }

  /** The text of a comment, with links. */
  #text(text: string): string {
    return text
      .replaceAll(/\{@link (\w+)\}/g, (_, name: string) => this.#named(name))
      .replaceAll(/`docs\/([\w/-]+)\.md`/g, (_, path: string) => {
        const file = posix.relative('docs/reference/api', `docs/${path}.md`)
        return `[${posix.basename(path)}](${file})`
      })
      .trim()
  }
}

/** Code cannot begin or end with a space. */
function codeWithSpace(text: string): string {
  const inner = text.trim()
  const before = text.startsWith(' ') ? ' ' : ''
  const after = text.endsWith(' ') && inner !== '' ? ' ' : ''
  return inner === '' ? before : `${before}${code(inner)}${after}`
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replace(/^\| /, '')
}

function anchorOf(name: string): string {
  return name.toLowerCase()
}

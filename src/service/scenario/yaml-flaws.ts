import { isAlias, isNode, isScalar, visit, type Document } from 'yaml'

/** What is wrong with a YAML document, in the form of the errors of the parser. */
interface Flaw {
  code: string
  message: string
  pos: readonly [number, number]
}

/** Finds aliases without an anchor. The parser reports them later, and without a position. */
export function unresolvedAliases(document: Document): Flaw[] {
  const anchors = new Set<string>()
  const found: Flaw[] = []
  visit(document, {
    Value: (_key, { anchor }) => void (anchor !== undefined && anchors.add(anchor)),
    Alias(_key, { source, range }) {
      if (anchors.has(source)) return
      const [start = 0, end = 0] = range ?? []
      const message = `*${source} refers to no &${source} before it`
      found.push({ code: 'UNRESOLVED_ALIAS', message, pos: [start, end] })
    },
  })
  return found
}

/** Finds keys that a map has twice, and keys that are lists or maps. To write one of these as a text takes long. */
export function wrongKeys(document: Document): Flaw[] {
  const found: Flaw[] = []
  const collections = new Set<string>()
  visit(document, {
    Collection: (_key, { anchor }) => void (anchor !== undefined && collections.add(anchor)),
  })
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isNode(key)) continue
        const [start = 0, end = 0] = key.range ?? []
        const add = (code: string, message: string): void => {
          found.push({ code, message, pos: [start, end] })
        }
        if (isAlias(key) ? collections.has(key.source) : !isScalar(key)) {
          add('NO_NAME', 'A key must be a name, not a list or a map')
        } else if (isScalar(key)) {
          // 1 and "1" are one key of a scenario, as are null and an empty text.
          const { value } = key
          const isSimple = typeof value === 'number' || typeof value === 'boolean'
          const name = isSimple ? String(value) : (value ?? '')
          if (seen.has(name)) add('DUPLICATE_KEY', 'Map keys must be unique')
          seen.add(name)
        }
      }
    },
  })
  return found
}

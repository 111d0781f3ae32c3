export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  /** The text directly inside. */
  text: string
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
}

/** Reads XML without comments and CDATA, as strictly as XML 1.0 asks. */
export function parseXml(xml: string): XmlElement {
  // oxlint-disable-next-line no-control-regex -- XML does not allow them.
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(xml))
    throw new Error('control character')
  if (Buffer.from(xml, 'utf8').toString('utf8') !== xml) throw new Error('half of a surrogate pair')
  const [declaration = ''] = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/.exec(xml) ?? []
  if (declaration === '') throw new Error('no declaration')
  const stack: XmlElement[] = [{ name: '', attributes: {}, children: [], text: '' }]
  const token = /<(\/?)([\w.-]+)((?:\s+[\w.-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y
  token.lastIndex = declaration.length
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex
    const found = token.exec(xml)
    if (!found) throw new Error(`not XML: ${xml.slice(at, at + 80)}`)
    const [, closes, name, attributes = '', isEmpty, text] = found
    const parent = stack.at(-1)!
    if (text !== undefined) parent.text += unescaped(text)
    else if (closes) {
      if (stack.pop()!.name !== name) throw new Error(`</${name}> closes another element`)
    } else {
      const element = { name: name!, attributes: attributesIn(attributes), children: [], text: '' }
      parent.children.push(element)
      if (!isEmpty) stack.push(element)
    }
  }
  const [document] = stack
  if (stack.length > 1 || document!.children.length !== 1) throw new Error('not one root element')
  return document!.children[0]!
}

function attributesIn(text: string): Record<string, string> {
  const found = [...text.matchAll(/([\w.-]+)="([^"]*)"/g)]
  const names = found.map(([, name]) => name)
  if (new Set(names).size < names.length) throw new Error('an attribute twice')
  return Object.fromEntries(found.map(([, name, value]) => [name!, unescaped(value!)]))
}

function unescaped(text: string): string {
  return text.replaceAll(/&(#?\w*);?/g, (whole, name: string) => {
    const code = /^#(\d+)$/.exec(name)?.[1]
    const character = code === undefined ? ENTITIES[name] : String.fromCodePoint(Number(code))
    if (character === undefined || !whole.endsWith(';')) throw new Error(`bad entity ${whole}`)
    return character
  })
}

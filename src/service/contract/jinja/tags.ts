import { didYouMean } from '../../../base/text/nearest.js'
import { FILTERS, TESTS } from './builtins.js'
import { METHODS } from './methods.js'
import { raise } from './python.js'

/** Says that a template is not valid, or has something that is not supported, and in which line. */
export function refuse(source: string, index: number, problem: string): never {
  return raise(`line ${source.slice(0, index).split('\n').length}: ${problem}`)
}

const TEXT = String.raw`"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'`
const mapOf = (inner: string): string => String.raw`\{(?:${TEXT}|[^{}"']|${inner})*\}`
const INNER = `(?:${TEXT}|${mapOf(mapOf(mapOf(mapOf(mapOf('(?!)')))))}|[^"'{])*?`
/** A tag with its texts, or a comment. */
export const TAG = new RegExp(String.raw`\{#[^]*?#\}|\{%${INNER}%\}|\{\{${INNER}\}\}`, 'g')

const STATEMENTS = `if elif else endif for endfor break continue set endset macro endmacro
  generation endgeneration`.split(/\s+/)

/** Kinds of names in tags, and those that are supported. */
const NAMES: readonly (readonly [pattern: RegExp, kind: string, known: readonly string[]])[] = [
  [/^\{%[-+]?\s*(\w+)/dg, 'statement', STATEMENTS],
  [/\|\s*(\w+)/dg, 'filter', Object.keys(FILTERS)],
  [/\bis\s+(?:not\s+)?(\w+)/dg, 'test', Object.keys(TESTS)],
  [/\.\s*(\w+)\s*\(/dg, 'method', METHODS],
]

/** The same, of names in texts. */
const NAMES_IN_TEXTS: typeof NAMES = [
  [/\|\s*map\(\s*["'](\w+)/dg, 'filter', Object.keys(FILTERS)],
  [/\|\s*(?:select|reject)(?:attr\([^,()]*,|\()\s*["'](\w+)/dg, 'test', Object.keys(TESTS)],
]

/** What is not supported, or what the parser reads otherwise than Jinja, by the part in which it is. */
const REFUSED = {
  template: [[/[^\P{Cc}\t\n]|\uFEFF|[^\S \t\n][ \t]*\{[%#]/u, 'such a space']],
  /** What is outside of tags. */
  text: [[/^[ \t]+\{-|[#%-]\}\n|\{[{%#]/m, 'a tag without its end, or a text like one,']],
  /** A tag whose texts are blank. */
  tag: [
    [/^\{.\+|\+[%#]\}$/, 'a + at the end of a tag'],
    [/(?<![.\w])(?:caller|cycler|dict|joiner|kwargs|lipsum|self|varargs)\b/, 'the name'],
    [
      /\bloop\b(?!\.(?:(?:rev)?index0?|first|last|length|(?:prev|next)item)\b)/,
      'loop beside its fields',
    ],
    [/\bis\s+(?:not\s+)?(?!not\b)\w+\s+(?!(?:else|or|and)\b)\w/, 'an argument of a test'],
    [/\.\s*_/, 'an attribute that begins with _'],
    [/(?<![\w.])\d+[a-z_]|\d{16}/i, 'such a number'],
    [/\btojson\s*\([^()]*\b(?:sort_keys|ensure_ascii\s*=\s*[Tt]rue)\b/, 'this argument of tojson'],
    [/\*\*|[(,]\s*\*/, 'the operator ** or the unpacking of arguments'],
    [/^\{%-?\s*(?:set|for)\s+(?:true|false|none)\b/i, 'a new value of a constant'],
    [/^\{%-?\s*set\b[^=]*[|([]/, 'set with something else than names'],
  ],
  /** What is in parentheses. */
  group: [[/^(?![^]*\belse\b)[^]*\bif\b/, 'an if without else in parentheses']],
  /** A tag whose parentheses are one name. */
  statement: [[/^\{%-?\s*(?:for\b[^]*\belse\b|(?:el)?if\b[^]*\bif\b)/, 'else without parentheses']],
  /** What is between commas and words such as `and`. */
  operand: [
    [/(?:[=!<>]=|[<>]|\bin\b)[^]*(?:[=!<>]=|[<>]|\bin\b)/, 'comparing twice without parentheses'],
    [/[\w']\s*[-+][^~]*~/, 'the operator ~ behind + or - without parentheses'],
    [/[\w'](?<!\b(?:in|is|not))\s+(?!(?:in|is|not)\b)[\w']/, 'this without an operator or a comma'],
  ],
} as const

const GROUP = /\([^()[\]{}]*\)|\[[^()[\]{}]*\]|\{[^()[\]{}]*\}/
const BETWEEN = /(,|:|(?<![=!<>])=(?!=)|\b(?:and|or|if|else)\b|\bnot\b(?!\s+in\b))/
const START = /^\{.[-+]?(?:\s*for\b[^]*?\bin\b|(?<=^\{%-?)\s*\w+)?/

/**
 * Finds what cannot be rendered as Jinja does it. The syntax tree of the library has neither lines nor parentheses.
 *
 * @throws {TemplateError}
 */
export function checkTags(source: string): void {
  check(source, 'template')
  check(
    source.replaceAll(TAG, (tag) => tag.replaceAll(/\S/g, '_')),
    'text',
  )
  for (const { 0: tag, index } of source.matchAll(TAG)) {
    const code = tag.replaceAll(new RegExp(TEXT, 'g'), (text) => "'".repeat(text.length))
    check(code, 'tag', index)
    if (tag.startsWith('{#')) continue
    checkNames(NAMES, code, index)
    checkNames(NAMES_IN_TEXTS, tag, index)
    checkParts(code, index)
  }

  function check(text: string, part: keyof typeof REFUSED, from = 0): void {
    for (const [pattern, problem] of REFUSED[part]) {
      const at = text.search(pattern)
      if (at !== -1) refuse(source, from + at, `${problem} is not supported`)
    }
  }

  function checkNames(names: typeof NAMES, code: string, index: number): void {
    for (const [pattern, kind, known] of names) {
      for (const { 1: name = '', indices } of code.matchAll(pattern)) {
        if (known.includes(name)) continue
        const problem = `the ${kind} ${name} is not supported.${didYouMean(name, known)}`
        refuse(source, index + indices![1]![0], problem)
      }
    }
  }

  function checkParts(code: string, index: number): void {
    let flat = code.slice(0, -2)
    for (let group = GROUP.exec(flat); group; group = GROUP.exec(flat)) {
      const [text] = group
      check(text, 'group', index + group.index)
      checkOperands(text.slice(1, -1), index + group.index + 1)
      flat = flat.replace(text, () => '_'.repeat(text.length))
    }
    check(flat, 'statement', index)
    const [start] = START.exec(flat)!
    checkOperands(flat.slice(start.length), index + start.length)
  }

  function checkOperands(text: string, from: number): void {
    let at = from
    for (const operand of text.split(BETWEEN)) {
      check(operand, 'operand', at)
      at += operand.length
    }
  }
}

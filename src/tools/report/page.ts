import { WRITTEN_BY } from '../../base/text/evidence.js'
import { version } from '../../base/text/version.js'
import { Html, markup, type Content } from './markup.js'
import { STYLE, STYLE_HASH } from './style.js'

/** What a page may load and do: nothing but its own styles. Also for the header of a response. */
export const PAGE_POLICY = `default-src 'none'; style-src '${STYLE_HASH}'; base-uri 'none'; form-action 'none'`

/** One part of a page, which the list of contents names. */
export interface Section {
  /** The heading. */
  readonly title: string
  /** The anchor, unique on the page. Lower-case letters, digits and dashes. */
  readonly id: string
  readonly content: Content
}

export interface PageParts {
  readonly title: string
  /** What comes below the title: a sentence, facts, a notice. */
  readonly intro?: Content
  readonly sections: readonly Section[]
  /** What programs read from the page. Browsers do not show it. */
  readonly data?: Html | undefined
}

/**
 * Writes a whole page that needs nothing else: no script that runs, no picture, no font. It works from a file.
 *
 * @example
 * const text = page({
 *   title: 'Explored 50 runs',
 *   intro: facts([['Seed', '1']]),
 *   sections: [{ id: 'failures', title: 'Failures', content: markup`<p>None.</p>` }],
 * })
 */
export function page({ title, intro, sections, data }: PageParts): string {
  // The styles are trusted text, and a `style` element has no escapes.
  const style = new Html(`<style>${STYLE}</style>`)
  // `tools/recording/read-report.ts` looks for the last line, too.
  const generator = new Html(WRITTEN_BY)
  const written = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
${generator}${version}">
<title>${title}</title>
${style}
</head>
<body>
<header>
<h1>${title}</h1>
${intro}
${
  sections.length > 1 &&
  markup`<nav aria-label="Contents"><ul>${sections.map(({ id, title: name }) => {
    return markup`<li><a href="#${id}">${name}</a></li>`
  })}</ul></nav>`
}
</header>
<main>
${sections.map(({ id, title: name, content }) => {
  return markup`<section>
<h2 id="${id}">${name}</h2>
${content}
</section>
`
})}</main>
<footer>Written by svtrain-emulator ${version}.</footer>
${data && [data, '\n']}</body>
</html>
`
  return String(written)
}

/** A list of names and values, such as the seed and the clock. Rows without a value, or with an empty one, are left out. */
export function facts(rows: readonly (readonly [name: string, value: Content])[]): Html {
  const shown = rows.filter(([, value]) => value !== undefined && value !== false && value !== '')
  return markup`<dl class="facts">${shown.map(([name, value]) => {
    return markup`<dt>${name}</dt><dd>${value}</dd>`
  })}</dl>`
}

/** A column of a table. `number` aligns to the right, `short` never wraps. */
export interface Column {
  readonly name: string
  readonly is?: 'number' | 'short'
}

export interface TableParts {
  /** What the table shows, for screen readers. Unique on the page, because it names a region. */
  readonly label: string
  readonly columns: readonly (string | Column)[]
  readonly rows: readonly (readonly Content[])[]
}

/** A table. A wide one scrolls inside the page. */
export function table({ label, columns, rows }: TableParts): Html {
  const all = columns.map((each) => (typeof each === 'string' ? { name: each, is: '' } : each))
  const kinds = all.map(({ is = '' }) => is)
  return markup`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${all.map(({ name, is = '' }) => {
    return markup`<th scope="col"${classOf(is)}>${name}</th>`
  })}</tr></thead>
<tbody>${rows.map((row) => {
    return markup`<tr>${row.map((cell, at) => markup`<td${classOf(kinds[at])}>${cell}</td>`)}</tr>
`
  })}</tbody>
</table></div>`
}

function classOf(name: string | undefined): Content {
  return name ? markup` class="${name}"` : ''
}

/** How something ended, for its color. The text must say it, too. */
export type Mood = 'bad' | 'warn' | 'good' | 'quiet'

/** A short state, such as `failed` or `422`. */
export function badge(text: string, mood: Mood = 'quiet'): Html {
  return markup`<span class="badge ${mood}">${text}</span>`
}

/** A text in its own lines, such as YAML or a command. */
export function code(text: string): Html {
  // A reader of HTML drops the first line end.
  return markup`<pre>\n${text}</pre>`
}

/** Something that opens: a line, and what is below it. */
export function foldable(line: Content, content: Content, { open = false } = {}): Html {
  return markup`<details${open && markup` open`}><summary>${line}</summary><div class="inside">${content}</div></details>`
}

/** A list of lines that open. */
export function list(items: readonly Content[]): Html {
  return markup`<ul class="rows">${items.map(
    (item) => markup`<li>${item}</li>
`,
  )}</ul>`
}

/** Says that a list is not whole, and what has all of it. Nothing if it is. */
export function latest(shown: number, total: number, what: string, whole = ''): Content {
  return shown < total && notice(`The latest ${figure(shown)} of ${figure(total)} ${what}.${whole}`)
}

/** Formats a large number so that people can read it. */
export function figure(count: number): string {
  return count.toLocaleString('en-US')
}

/** A sentence that must not be missed, such as what was left out. */
export function notice(content: Content, { bad = false } = {}): Html {
  return markup`<p class="notice${bad && ' bad'}">${content}</p>`
}

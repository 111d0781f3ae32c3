import { markup, type Content } from '../../tools/report/markup.js'
import { badge, code, notice, type Mood } from '../../tools/report/page.js'
import type { Failure, FailurePart } from './failure.js'
import { partLines, plain } from './lines.js'

/** Shows a failure on a page, below a heading that has its title. */
export function failureContent(
  { kind, reason, notes = [], parts = [] }: Failure,
  mood: Mood,
): Content {
  return [
    markup`<p>${badge(kind, mood)} ${reason}</p>`,
    notes.map((note) => notice(note)),
    parts.map(partContent),
  ]
}

function partContent(part: FailurePart): Content {
  if (part.form !== 'code') return code(partLines(part, plain).join('\n'))
  const { before, heading, file, text } = part
  return [
    markup`<p>${before && `${before} `}${heading}${file && markup`, also in <code>${file}</code>`}:</p>`,
    code(text),
  ]
}

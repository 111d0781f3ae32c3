import { escapeXml } from '../../base/text/escape.js'
import type { Failure, FailurePart } from './failure.js'
import { headlineOf, partLines, plain } from './lines.js'

/** Test cases that CI systems show together. */
export interface JunitSuite {
  readonly name: string
  /** Facts about the run, such as its seed. */
  readonly properties: Readonly<Record<string, string>>
  readonly cases: readonly JunitCase[]
  /** Milliseconds of real time. */
  readonly took: number
}

/** A test case. Without `failure`, `error` and `skipped`, it passed. */
export interface JunitCase {
  readonly name: string
  /** Milliseconds of real time. Default: 0. */
  readonly took?: number | undefined
  /** What was found to be wrong. */
  readonly failure?: Failure | undefined
  /** Why nothing could be found out. */
  readonly error?: Failure | undefined
  /** Why it was not tried. */
  readonly skipped?: string | undefined
  readonly stdout?: string | undefined
  readonly stderr?: string | undefined
}

/** Formats a suite as JUnit XML. */
export function junitXml({ name: suite, properties, cases, took }: JunitSuite): string {
  const count = (key: 'failure' | 'error' | 'skipped'): string => {
    return String(cases.filter((each) => each[key] !== undefined).length)
  }
  const counts = {
    tests: String(cases.length),
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: seconds(took),
  }
  const { skipped: _, ...totals } = counts
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: suite, ...totals })}>`,
    `  <testsuite${attributes({ name: suite, ...counts })}>`,
    '    <properties>',
    ...Object.entries(properties).map(([name, value]) => {
      return `      <property${attributes({ name, value })}/>`
    }),
    '    </properties>',
    ...cases.flatMap((each) => caseLines(each, suite)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function caseLines(
  { name, took, failure, error, skipped, stdout = '', stderr = '' }: JunitCase,
  classname: string,
): string[] {
  const time = took === undefined ? '0' : seconds(took)
  const head = `    <testcase${attributes({ name, classname, time })}`
  const lines = [
    ...(skipped === undefined ? [] : [`      <skipped${attributes({ message: skipped })}/>`]),
    ...failureLines('error', error),
    ...failureLines('failure', failure),
    ...(stdout === '' ? [] : [`      <system-out>${escapeXml(stdout)}</system-out>`]),
    ...(stderr === '' ? [] : [`      <system-err>${escapeXml(stderr)}</system-err>`]),
  ]
  return lines.length === 0 ? [`${head}/>`] : [`${head}>`, ...lines, '    </testcase>']
}

function failureLines(element: string, failure: Failure | undefined): string[] {
  if (failure === undefined) return []
  const { title, kind, reason = headlineOf(failure, plain), notes = [], parts = [] } = failure
  const text = [reason, ...notes, ...parts.flatMap((part) => ['', ...detailLines(part)])].join('\n')
  const head = `${element}${attributes({ message: title, type: kind })}`
  return [`      <${head}>${escapeXml(text)}</${element}>`]
}

function detailLines(part: FailurePart): string[] {
  return part.form === 'code' ? [`${part.heading}:`, part.text] : partLines(part, plain)
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

function attributes(values: Readonly<Record<string, string>>): string {
  return (
    Object.entries(values)
      // A parser reads a line break or a tab in an attribute as a space, unless it is escaped.
      .map(([name, value]) => {
        return ` ${name}="${escapeXml(value).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`
      })
      .join('')
  )
}

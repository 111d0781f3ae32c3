import type { ExploredRun } from '../../explore/exploration.js'
import type { Explored } from './findings.js'
import { verdictText } from '../../explore/report.js'

/** Formats an exploration as JUnit XML: a test case for each run, and a skipped one for each scenario not tried. */
export function junitXml(explored: Explored): string {
  const { command, report } = explored
  const { runs, skipped, seed, took } = report
  const failed = runs.filter(({ verdict }) => verdict !== 'passed').length
  const counts = {
    tests: String(runs.length + skipped.length),
    failures: String(failed),
    errors: '0',
    skipped: String(skipped.length),
    time: seconds(took),
  }
  const { skipped: _, ...totals } = counts
  const cases = [
    ...runs.flatMap((run) => caseLines(run, explored)),
    ...skipped.flatMap(({ name, reason }) => [
      `    <testcase${attributes({ name, classname: SUITE, time: '0' })}>`,
      `      <skipped${attributes({ message: reason })}/>`,
      '    </testcase>',
    ]),
  ]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: SUITE, ...totals })}>`,
    `  <testsuite${attributes({ name: SUITE, ...counts })}>`,
    '    <properties>',
    `      <property${attributes({ name: 'seed', value: String(seed) })}/>`,
    `      <property${attributes({ name: 'command', value: command.join(' ') })}/>`,
    '    </properties>',
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const SUITE = 'svtrain-emulator explore'

function caseLines(run: ExploredRun, { findings, evidenceOf }: Explored): string[] {
  const { number, name, verdict, reason = '', failure, took } = run
  const head = `    <testcase${attributes({ name: `${number} ${name}`, classname: SUITE, time: seconds(took) })}`
  if (verdict === 'passed') return [`${head}/>`]
  const finding = findings.find((each) => each.failure.number === failure)
  const body = [
    reason,
    ...(finding
      ? [
          '',
          'The smallest scenario that fails:',
          finding.failure.yaml.trimEnd(),
          '',
          'Run it again:',
          finding.again,
        ]
      : []),
  ].join('\n')
  const printed = evidenceOf(number)
  return [
    `${head}>`,
    `      <failure${attributes({ message: finding?.failure.title ?? reason, type: verdictText(verdict) })}>${escaped(body)}</failure>`,
    ...(printed && printed.stdout !== ''
      ? [`      <system-out>${escaped(printed.stdout)}</system-out>`]
      : []),
    ...(printed && printed.stderr !== ''
      ? [`      <system-err>${escaped(printed.stderr)}</system-err>`]
      : []),
    '    </testcase>',
  ]
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(value).replaceAll('\n', '&#10;')}"`)
    .join('')
}

// XML 1.0 allows no other control characters, not even as escapes. Half a surrogate pair is not allowed either.
const NOT_ALLOWED =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
// eslint-disable-next-line no-control-regex
const COLORS = /\u001b\[[\d;]*m/g

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

function escaped(text: string): string {
  return text
    .replaceAll(COLORS, '')
    .replaceAll(NOT_ALLOWED, '\ufffd')
    .replaceAll(/[&<>"\r]/g, (character) => ENTITIES[character]!)
}

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import {
  FALSE_SUCCESS,
  judge,
  normalized,
  withoutChance,
  type Mistake,
} from '../../../tools/explore/judge.js'
import { formatKill } from '../../../tools/explore/crash/kill.js'
import type { ExploreFailure, ExploreReport, Trial } from '../../../tools/explore/exploration.js'
import { readScenarioFile } from '../../../service/scenario/scenario-file.js'
import { slugOf } from '../../../base/text/slug.js'
import { counted } from '../../../base/text/counted.js'
import { DEFAULT_FOLDER } from './command-defaults.js'
import type { ArgumentsOf } from '../../command.js'
import { exec } from '../../commands/exec.js'
import { explore } from './command.js'
import { reproduction } from '../../report/reproduction.js'
import { printable, printableLines, type Terminal } from '../../terminal.js'
import { writeInFolder } from '../../write-in-folder.js'
import type { CommandRunner, Evidence } from './command-runner.js'
import type { CommandExploration, Finding } from './findings.js'
import { htmlReport } from './html-report.js'
import { exploredSuite } from './explored-failures.js'
import { junitXml } from '../../failure/junit.js'

type Arguments = ArgumentsOf<typeof explore>

interface ReportInput {
  readonly args: Arguments
  readonly report: ExploreReport
  readonly runner: CommandRunner
  /** What a user types to start this program. */
  readonly program: string
  /** How many are repeated at once. */
  readonly parallel: number
}

interface Repeating {
  readonly signal: AbortSignal
  readonly say: (text: string) => void
}

/**
 * Writes the smallest scenario of each failure and what the command printed, and runs each of them once more. Those of
 * earlier explorations stay, unless the same failure is found again.
 */
export async function writeFailures(
  { args, report, runner, program, parallel }: ReportInput,
  { signal, say }: Repeating,
): Promise<Finding[]> {
  const { failures } = report
  const folder = args.to ?? DEFAULT_FOLDER
  if (failures.length === 0) return []
  await mkdir(folder, { recursive: true })
  if (!signal.aborted)
    say(`Running ${counted(failures.length, 'failure')} once more, as exec would`)
  const findings: Finding[] = []
  const left = [...failures]
  const work = async (): Promise<void> => {
    for (let failure = left.shift(); failure; failure = left.shift()) {
      findings.push(await findingOf(failure, { args, runner, program, folder, signal }))
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return findings.sort((one, other) => one.failure.number - other.failure.number)
}

/** Says which failures of earlier explorations are beside those of this one. */
export async function earlierLine(
  { to: folder = DEFAULT_FOLDER }: Pick<Arguments, 'to'>,
  findings: readonly Finding[],
): Promise<string | undefined> {
  const names = await readdir(folder).catch((): string[] => [])
  const now = findings.map(({ file, log }) => stemOf(file ?? log ?? ''))
  const earlier = new Set<string>()
  for (const name of names.filter((each) => /^\d+-[a-z\d-]+\.(?:yaml|log)$/.test(each))) {
    if (now.includes(stemOf(name))) continue
    const text = await readFile(join(folder, name), 'utf8')
    // The command that repeats it, at the top.
    if (/^(?:# )?(?:npx )?svtrain-emulator (?:exec|explore) /m.test(text)) earlier.add(stemOf(name))
  }
  if (earlier.size === 0) return undefined
  const kept = `${counted(earlier.size, 'failure')} of earlier explorations`
  return `${printable(folder)} also has ${kept}: ${[...earlier].join(', ')}`
}

/** A file without its folder and its ending. */
function stemOf(path: string): string {
  return parse(path).name
}

interface Place extends Pick<ReportInput, 'args' | 'runner' | 'program'> {
  readonly folder: string
  readonly signal: AbortSignal
}

async function findingOf(
  failure: ExploreFailure,
  { args, runner, program, folder, signal }: Place,
): Promise<Finding> {
  const path = await pathFor(failure, folder)
  const log = `${path}.log`
  if (failure.kill) {
    const again = commandFor(failure, { args, file: undefined, program, runner })
    const evidence = runner.evidenceOf(failure.runs[0]!)
    if (evidence) await writeFile(log, logOf(failure, { again, evidence }))
    // It was run again to confirm it, if there was time.
    const repeated = failure.flaky === true ? false : failure.shrinking.finished || undefined
    return { failure, file: undefined, log: evidence && log, again, repeated, evidence }
  }
  const file = `${path}.yaml`
  const again = commandFor(failure, { args, file, program, runner })
  const comment = [failure.title, again].join('\n').split('\n')
  const lines = [...comment.map((line) => `# ${printable(line)}`), failure.yaml.trimEnd(), '']
  await writeFile(file, lines.join('\n'))
  const repeated = signal.aborted ? undefined : await repeat(failure, { runner, file, signal })
  const evidence = repeated?.evidence ?? runner.evidenceOf(failure.runs[0]!)
  if (evidence) await writeFile(log, logOf(failure, { again, evidence }))
  return { failure, file, log: evidence && log, again, repeated: repeated?.failed, evidence }
}

/** Where a failure is written: not over an earlier one of the same number whose title only begins alike. */
export async function pathFor(
  failure: Pick<ExploreFailure, 'number' | 'title'>,
  folder: string,
): Promise<string> {
  const titleIn = (head: string): string => withoutChance(printable(head.replace(/^# /, '')))
  const title = withoutChance(printable(failure.title))
  for (let copy = 1; ; copy++) {
    const words = slugOf(failure.title, LONGEST_SLUG) || 'failure'
    const stem = `${failure.number}-${words}${copy > 1 ? `-${copy}` : ''}`
    const path = join(folder, stem)
    const texts = ['.yaml', '.log'].map((ending) => readFile(path + ending, 'utf8').catch(() => ''))
    const heads = (await Promise.all(texts)).map((text) => text.split('\n', 1)[0]!)
    if (heads.every((head) => head === '' || titleIn(head) === title)) return path
  }
}

/** Runs the command with the file, as the user will. Undefined if it was interrupted. */
async function repeat(
  failure: ExploreFailure,
  { runner, file, signal }: { runner: CommandRunner; file: string; signal: AbortSignal },
): Promise<{ failed: boolean; evidence: Evidence } | undefined> {
  const scenario = await readScenarioFile(file)
  const trial: Trial = {
    number: 0,
    name: scenario.name,
    kind: 'scenario',
    scenario,
    seed: failure.seed,
    expects: 'success',
  }
  const { result, evidence } = await runner.repeat(trial, signal)
  if (signal.aborted) return undefined
  const { mistakes } = judge(trial, result, runner.baseline?.result.observed)
  return { failed: mistakes.some((mistake) => isSame(mistake, failure)), evidence }
}

/** The titles of one failure differ if its runs have different faults. */
function isSame(mistake: Mistake, { verdict, title, reason }: ExploreFailure): boolean {
  if (mistake.verdict !== verdict) return false
  return mistake.title === title || normalized(mistake.reason) === normalized(reason)
}

/** The command that repeats a failure. */
function commandFor(
  { seed, verdict, title, kill }: ExploreFailure,
  { args, file, program, runner }: Omit<Place, 'folder' | 'signal'> & { file: string | undefined },
): string {
  if (kill) {
    const chosen = { 'crash-at': [formatKill(kill)] }
    return [program, ...reproduction(explore, args, { seed, chosen })].join(' ')
  }
  const given = { ...args, scenario: file }
  // Only a comparison with a run without faults shows it.
  if (verdict === 'failed' && (title === FALSE_SUCCESS || title.includes('start work again'))) {
    return [program, ...reproduction(explore, given, { seed, chosen: { runs: 2 } })].join(' ')
  }
  const { clock = 'instant', timeout = `${Math.ceil(runner.timeout / 1000)}s` } = args
  const again = { ...given, clock, timeout, checks: true }
  return [program, ...reproduction(exec, again, { seed })].join(' ')
}

/** The most characters of the words of a title, in the name of a file. */
const LONGEST_SLUG = 47

function logOf(
  { title }: ExploreFailure,
  { again, evidence: { code, stdout, stderr, trace } }: { again: string; evidence: Evidence },
): string {
  const part = (name: string, text: string): string[] => {
    return text === '' ? [] : ['', `${name}:`, text.trimEnd()]
  }
  return [
    title,
    again,
    ...part('What the command printed on stdout', printableLines(stdout)),
    ...part('What the command printed on stderr', printableLines(stderr)),
    ...part('Exit code', code === undefined ? 'none: it was stopped' : String(code)),
    ...part('What the emulator saw', trace),
    '',
  ].join('\n')
}

/** Writes the files of `--junit` and `--report`. */
export async function writeReports(
  explored: CommandExploration,
  { junit, report }: Pick<Arguments, 'junit' | 'report'>,
  { write, writeError }: Terminal,
): Promise<void> {
  const files = [
    { file: junit, text: () => junitXml(exploredSuite(explored)) },
    { file: report, text: () => htmlReport(explored) },
  ]
  for (const { file, text } of files) {
    if (file === undefined) continue
    await writeInFolder(file, { text: text() }, { write, writeError })
  }
}

import { wallNow } from '../../base/clock/wall.js'
import { NEWEST_CONTRACT } from '../../service/contract/versions.js'
import { scenarioTextOf } from '../../emulator/control/scenario.js'
import { namedScenario } from '../../emulator/control/info.js'
import type { Emulator } from '../../emulator/emulator.js'
import type { ReportOptions } from '../../emulator/report-options.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import { builtInScenario, DEFAULT_SCENARIO } from '../../service/scenario/built-in-scenarios.js'
import { BEFORE, failedBefore } from '../../emulator/testing/before-restore.js'
import { groupedFindings } from '../../emulator/testing/grouped-findings.js'
import { pendingIn } from '../../emulator/testing/pending.js'
import { eachOnce, problemsOf } from '../../emulator/testing/problems.js'
import { judgedCalls, NO_CALLS } from '../../emulator/testing/reach.js'
import { latestWorlds, usedWorlds } from '../../emulator/testing/used-worlds.js'
import { effectsText } from '../../emulator/testing/unnoticed.js'
import { optionIn } from '../../base/text/command-words.js'
import { RUN_AGAIN } from '../../base/text/evidence.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { COMMAND, isInstalledByPip } from '../../base/text/command.js'
import { counted } from '../../base/text/counted.js'
import { toIso } from '../../base/text/iso.js'
import { version } from '../../base/text/version.js'
import { Bodies } from './body.js'
import { deliveriesPart } from './deliveries-part.js'
import { jobsPart } from './jobs-part.js'
import { markup, type Content } from './markup.js'
import {
  badge,
  code,
  facts,
  figure,
  foldable,
  latest,
  notice,
  page,
  table,
  type Column,
  type Section,
} from './page.js'
import { pageData } from './page-data.js'
import { requestsPart } from './requests-part.js'
import { ShownWorld } from './shown-world.js'
import { tracePart } from './trace-part.js'
import { trainingPart } from './training-part.js'

/** The most worlds on a page, those that were used last, and the most requests of all of them. */
const MOST_WORLDS = 10
const MOST_REQUESTS = 500
const MOST_PROBLEMS = 200

/** Writes what happened in an emulator as one page. */
export async function reportPage(emulator: Emulator, options: ReportOptions): Promise<string> {
  const used = usedWorlds(emulator)
  const worlds = latestWorlds(used, MOST_WORLDS)
  const { contents = 'shown', title, failure } = options
  const isOne = used.length === 1
  const shown = worlds.map((world) => new ShownWorld(world, { ...options, isOne }))
  const bodies = new Bodies(contents)
  const requests = chosenRequests(shown)
  const redact = (text: string): string => {
    // A key in a quote would hide the quote.
    const open = shown.reduce((rest, each) => each.withoutQuotes(rest), text)
    return shown.reduce((rest, each) => each.text(rest), open)
  }
  const reproduce = options.reproduce && redact(options.reproduce)
  const { name } = emulator.engine.scenario
  const left = used.length - worlds.length
  const requestParts = shown.map((each) => {
    return each.part(requestsPart(each, { ...requests.get(each)!, bodies }))
  })
  const deliveries = await inEach(shown, (each) => deliveriesPart(each, bodies))
  const jobs = await inEach(shown, jobsPart)
  const training = await inEach(shown, trainingPart)
  const data = pageData(emulator, { contents, reproduce })
  const sections: Section[] = [
    { id: 'failed', title: 'What failed', content: failedPart(shown) },
    { id: 'checks', title: 'Client checks', content: checksPart(shown) },
    { id: 'pending', title: 'Pending', content: pendingPart(shown) },
    { id: 'trace', title: 'Trace', content: shown.map((each) => each.part(tracePart(each))) },
    { id: 'requests', title: 'Requests', content: requestParts },
    { id: 'deliveries', title: 'Deliveries', content: deliveries },
    { id: 'jobs', title: 'Jobs and curves', content: jobs },
    { id: 'training', title: 'Training data', content: training },
    ...(await scenarioSections(emulator, {
      contents,
      reproduce,
      redact,
      hasData: data !== undefined,
    })),
  ]
  return page({
    title: redact(title ?? `Scenario ${name}, seed ${emulator.seed}`),
    intro: [
      failure !== undefined && [markup`<h2>Why it failed</h2>`, code(redact(failure))],
      summary(emulator, { shown, contents, redact }),
      left > 0 &&
        notice(
          `The ${worlds.length} worlds that were used last. ${counted(left, 'other world')} left out.`,
        ),
    ],
    sections: sections.filter(({ content }) => content !== undefined),
    data,
  })
}

/** The latest requests of all worlds, as many as the page has room for. */
function chosenRequests(shown: readonly ShownWorld[]) {
  const room = Math.ceil(MOST_REQUESTS / shown.length)
  return new Map(
    shown.map((each) => {
      const all = each.world.journal.entries.filter((entry): entry is RequestEntry => {
        return entry.kind === 'request'
      })
      const entries = all.slice(-room)
      for (const { id } of entries) each.requests.add(id)
      return [each, { entries, total: all.length }]
    }),
  )
}

/** A part for each world that has one. Undefined if none has. */
async function inEach(
  shown: readonly ShownWorld[],
  part: (world: ShownWorld) => Content | Promise<Content>,
): Promise<Content> {
  const parts: Content[] = []
  for (const each of shown) {
    const content = await part(each)
    if (content !== undefined) parts.push(each.part(content))
  }
  return parts.length === 0 ? undefined : parts
}

function summary(
  emulator: Emulator,
  {
    shown,
    contents,
    redact,
  }: { shown: readonly ShownWorld[]; contents: string; redact: (text: string) => string },
): Content {
  const { engine, seed, contract, clock } = emulator
  const { name, description } = engine.scenario
  const [only, ...others] = shown
  const problems = shown.reduce((sum, { world }) => sum + problemsOf(world).length, 0)
  const requests = shown.reduce((sum, { world: { journal } }) => {
    return sum + journal.entries.filter(({ kind }) => kind === 'request').length
  }, 0)
  return facts([
    ['Scenario', redact(description === '' ? name : `${name}: ${description}`)],
    ['Seed', String(seed)],
    ['Contract', contract],
    ['Clock', `${clock.mode}${others.length === 0 ? `, ${nowText(only!)}` : ''}`],
    ['Version', `svtrain-emulator ${version}`],
    ['Written', toIso(wallNow())],
    ['Worlds', shown.length > 1 && shown.map(({ name: of }) => of).join(', ')],
    ['Requests', `${figure(requests)}, ${counted(problems, 'problem')}`],
    [
      'Contents',
      contents === 'redacted' && 'Prompts, messages, completions and trajectories are left out.',
    ],
  ])
}

/** The time on the clock of a world. Each world has its own. */
function nowText({ world: { clock }, since }: ShownWorld): string {
  return `now ${toIso(clock.now())} (${since(clock.now())})`
}

/** The marks that are words on the page. */
const WORDS: Readonly<Record<string, string>> = { '---': 'no answer', err: 'error' }

function failedPart(shown: readonly ShownWorld[]): Content {
  const found = shown.flatMap((each) =>
    eachOnce(problemsOf(each.world)).map((problem) => ({ each, ...problem })),
  )
  const before = shown.flatMap((each) => {
    return failedBefore(each.world).map((text): WorldRow => [each, badge(BEFORE, 'bad'), text])
  })
  if (found.length + before.length === 0) {
    const effects = effectsText(shown.map(({ world }) => world))
    const but = effects && `, but this came from the scenario: ${shown[0]!.text(effects)}`
    return markup`<p>Nothing: the emulator refused no request, and no job and no delivery failed${but}.</p>`
  }
  const now = found.map(({ each, mark, text, entry, count }): WorldRow => {
    // Only entries of requests have a place on the page.
    const linked = each.linkTo({ id: entry, kind: 'request' }, each.text(text))
    const mood = mark.startsWith('4') ? 'warn' : 'bad'
    const times = count > 1 && markup` <span class="quiet">(${count} times)</span>`
    return [each, badge(WORDS[mark] ?? mark, mood), [linked, times]]
  })
  const all = [...before, ...now]
  const rows = all.slice(-MOST_PROBLEMS)
  const columns = [{ name: 'Status', is: 'short' } as const, 'What happened']
  return [latest(rows.length, all.length, 'problems'), worldTable('What failed', columns, rows)]
}

/** A row of a table about several worlds. */
type WorldRow = readonly [world: ShownWorld, ...cells: Content[]]

/** A table about several worlds. If there is only one, it is not named. */
function worldTable(
  label: string,
  columns: readonly (string | Column)[],
  rows: readonly WorldRow[],
): Content {
  const isNamed = rows.some(([{ name }]) => name !== undefined)
  return table({
    label,
    columns: [...(isNamed ? [{ name: 'World', is: 'short' } as const] : []), ...columns],
    rows: rows.map(([{ name }, ...cells]) => (isNamed ? [name, ...cells] : cells)),
  })
}

function checksPart(shown: readonly ShownWorld[]): Content {
  const rows = shown.flatMap((each) => {
    return groupedFindings(each.details.findings).map(
      ({ check, severity, text, requests: [id] }): WorldRow => {
        const said = each.text(text)
        const linked = id === undefined ? said : each.linkTo({ id, kind: 'request' }, said)
        return [
          each,
          severity === 'warn' ? badge('warning', 'warn') : badge('error', 'bad'),
          check,
          linked,
        ]
      },
    )
  })
  const isJudged = shown.some(({ world: { engine } }) => {
    return engine.store.jobs.size > 0 || [...engine.clientPlatform.runs.all].length > 0
  })
  const nothing = isJudged
    ? 'The client checks found no mistake in what they could judge.'
    : 'The client checks found no mistake in the calls. There was no job and no run to judge.'
  const { calls, not } = judgedCalls(shown.map(({ world }) => world))
  const notJudged = not.map((what) => markup`<p>Not judged: ${what}.</p>`)
  if (rows.length === 0) return [markup`<p>${calls === 0 ? NO_CALLS : nothing}</p>`, notJudged]
  const columns = ['Severity', 'Check'].map((name) => ({ name, is: 'short' }) as const)
  return [worldTable('Client checks', [...columns, 'What the client did'], rows), notJudged]
}

function pendingPart(shown: readonly ShownWorld[]): Content {
  const rows = shown.flatMap((each) => {
    return pendingIn(each.world).map(({ what, which, why }): WorldRow => {
      return [each, what, each.text(which), each.text(why)]
    })
  })
  if (rows.length === 0) return markup`<p>Nothing is pending.</p>`
  return [
    rows.length > MOST_PROBLEMS && notice(`The first ${MOST_PROBLEMS} of ${rows.length} things.`),
    worldTable(
      'Pending',
      [{ name: 'What', is: 'short' }, 'Which', 'Why'],
      rows.slice(0, MOST_PROBLEMS),
    ),
  ]
}

interface About {
  readonly contents: 'shown' | 'redacted'
  /** The command that runs the same again. */
  readonly reproduce: string | undefined
  readonly redact: (text: string) => string
  /** Whether the page has the requests for programs. */
  readonly hasData: boolean
}

async function scenarioSections(
  emulator: Emulator,
  { contents, reproduce, redact, hasData }: About,
): Promise<Section[]> {
  // Without the keys and receivers of this emulator's options.
  const { savedScenario: scenario } = emulator.engine
  const isBuiltIn = namedScenario(scenario, emulator).built_in
  const hidesChat = contents === 'redacted' && !isBuiltIn
  const { yaml, has_functions: hasFunctions } = await scenarioTextOf(
    hidesChat ? { ...scenario, chat: builtInScenario(DEFAULT_SCENARIO).chat } : scenario,
  )
  return [
    {
      id: 'scenario',
      title: 'Scenario',
      content: [
        hidesChat && notice('The part chat is left out, because it may contain messages.'),
        hasFunctions &&
          notice('This scenario has functions. YAML cannot contain them, so use its own file.'),
        isBuiltIn
          ? foldable(`${scenario.name} is built in. Show its YAML`, code(redact(yaml)))
          : code(redact(yaml)),
      ],
    },
    {
      id: 'again',
      title: RUN_AGAIN,
      content: [againPart(emulator, { reproduce, isBuiltIn }), fromPart(hasData)],
    },
  ]
}

/** Says how to make a scenario from the page. */
function fromPart(hasData: boolean): Content {
  if (!hasData) {
    return markup`<p>To make a scenario from what happened, use the HAR file: this page is too long to hold all requests.</p>`
  }
  return [
    markup`<p>A scenario of what happened here. If this file has another name, write that one:</p>`,
    code(`${COMMAND} scenarios from svtrain-report.html --to incident.yaml`),
  ]
}

/** Says where the file is that a command reads. */
function saveText(command: string): Content {
  const file = optionIn(command, '--scenario')
  if (file === undefined || !/\.\w+$/.test(file)) return undefined
  return markup`<p>If you do not have <code>${file}</code>, save the scenario above under this name. Put in again what is <code>${HIDDEN}</code>.</p>`
}

function againPart(
  { engine, seed, contract, clock }: Emulator,
  { reproduce, isBuiltIn }: { reproduce: string | undefined; isBuiltIn: boolean },
): Content {
  const { name } = engine.scenario
  const which = isBuiltIn ? name : 'scenario.yaml'
  const quoted = isBuiltIn ? `'${name}'` : "await loadScenario('scenario.yaml')"
  const isNewest = contract === NEWEST_CONTRACT
  // The settings of pytest have the contract.
  const inTest = isInstalledByPip
    ? `@pytest.mark.svtrain("${which}", seed=${seed}, clock="${clock.mode}")`
    : `const emulator = createEmulator({ scenario: ${quoted}, seed: ${seed}, clock: '${clock.mode}'${isNewest ? '' : `, contract: '${contract}'`} })`
  return [
    !isBuiltIn &&
      reproduce === undefined &&
      markup`<p>Save the scenario above as <code>scenario.yaml</code>. Put in again what is <code>${HIDDEN}</code>.</p>`,
    reproduce === undefined
      ? [
          markup`<p>In a test:</p>`,
          code(inTest),
          markup`<p>On the command line:</p>`,
          code(
            `${COMMAND} --scenario ${which} --seed ${seed} --clock ${clock.mode}${isNewest ? '' : ` --contract ${contract}`}`,
          ),
        ]
      : [!isBuiltIn && saveText(reproduce), code(reproduce)],
  ]
}

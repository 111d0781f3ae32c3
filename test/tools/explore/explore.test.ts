import { describe, expect, it } from 'vitest'
import type {
  CheckFinding,
  ExplorePlan,
  Observation,
  OwnScenario,
  RunTrial,
  Trial,
  TrialResult,
} from '../../../src/tools/explore/exploration.js'
import { judgeKill } from '../../../src/tools/explore/crash/judge-kill.js'
import { readKills } from '../../../src/tools/explore/crash/kill.js'
import type { Work } from '../../../src/tools/explore/crash/work.js'
import { builtInFacts } from '../../../src/tools/explore/parts/built-in-scenarios.js'
import { webhooks as webhookPart } from '../../../src/tools/explore/parts/webhooks.js'
import { findsOf, mostTellingFirst } from '../../../src/tools/explore/ranking.js'
import { runExploration } from '../../../src/tools/explore/explore.js'
import { judge, normalized } from '../../../src/tools/explore/judge.js'
import { formatReport, planLines } from '../../../src/tools/explore/report.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import type { ScenarioInput } from '../../../src/service/scenario/scenario.js'
import { observation } from './observation.js'

const seen = observation()

const passed: TrialResult = { ended: 'success', took: 5, observed: seen }

/** Code that reported success, as the emulator saw it. */
const succeeded = (observed: Partial<Observation>): TrialResult => {
  return { ...passed, observed: observation(observed) }
}

const failed = (error: string, observed: Partial<Observation> = {}): TrialResult => {
  return { ended: 'error', error, took: 5, observed: observation(observed) }
}

/** Code that does not survive a fault of one kind on one operation. */
function fragile(kind: string, operation: string, result: TrialResult): RunTrial {
  return async ({ scenario }) => {
    await Promise.resolve()
    const hits = checkScenario(scenario).faults.some(({ fault, match }) => {
      const globs = typeof match === 'function' ? [] : [match.operation ?? operation].flat()
      return fault === kind && globs.some((glob) => glob === operation || glob.includes('*Chat'))
    })
    return hits ? result : passed
  }
}

const hang: TrialResult = {
  ended: 'timeout',
  took: 5,
  observed: { ...seen, pending: [{ kind: 'call', text: 'createChatCompletion got no answer' }] },
}

const success = { scenario: { name: 'mine' }, expects: 'success' } as const
const anyEnd = { scenario: { name: 'mine' }, expects: 'any_end' } as const
const idle = succeeded({ unapplied: 'no call matched' })

it('does not count a run in which nothing of its scenario happened', async () => {
  const chosen = { only: ['flaky-gateway'] }
  const report = await runExploration(chosen, ({ name }) => {
    return Promise.resolve(name === 'happy-path' ? passed : idle)
  })
  expect(report.runs.map(({ name }) => name)).toEqual(['happy-path'])
  const reason = 'Nothing of it happened: no call matched'
  expect(report.skipped).toEqual([{ name: 'flaky-gateway', reason }])
  expect(report.untried?.reason).toMatch(/^No fault was tried/)
})

it('tries others in place of runs in which nothing happened', async () => {
  const report = await runExploration({ runs: 10, parallel: 3 }, ({ number }) => {
    return Promise.resolve(number > 1 && number < 7 ? idle : passed)
  })
  expect(report.runs).toHaveLength(10)
  expect(report.skipped.filter(({ reason }) => reason.startsWith('Nothing of it'))).toHaveLength(5)
})

it('ends although nothing ever happens', async () => {
  const { runs, ended } = await runExploration({ runs: 5, only: ['faults'] }, ({ number }) => {
    return Promise.resolve(number > 1 ? idle : passed)
  })
  expect(runs).toHaveLength(1)
  expect(ended).toBe('all_runs')
})

it('says the error in each title of code that failed with one', () => {
  const problem = { operation: 'createModel', outcome: '503', times: 1, recovered: true }
  const webhooks = [{ name: 'receiver', adversary: [{ do: 'duplicate' as const }] }]
  const delivered = { ...success, scenario: { name: 'mine', webhooks } }
  const titles = [
    judge(success, failed('ValueError: no adapter', { problem })),
    judge(delivered, failed('ValueError: no adapter')),
    judge(success, failed('ValueError: no adapter')),
  ].map(({ mistakes }) => mistakes[0]!.title)
  expect(titles).toEqual([
    'the code failed after createModel was refused with 503: ValueError: no adapter',
    'the code failed although only deliveries differ: ValueError: no adapter',
    'the code failed: ValueError: no adapter',
  ])
})

describe('the verdict on a trial', () => {
  it.each([
    ['createChatCompletion', '429', true, 'It waited each time createChatCompletion was refused'],
    ['platformGraphql.Viewer', '429', false, 'The SDK of runs repeated platformGraphql.Viewer'],
    ['createChatCompletion', '503', true, undefined],
    ['createChatCompletion', '429', false, undefined],
  ])(
    'after a timeout is open if the code waited as it was told: %s %s %s',
    (operation, outcome, recovered, why) => {
      const problem = { operation, outcome, times: 6, recovered }
      const late: TrialResult = { ended: 'timeout', took: 5, observed: { ...seen, problem } }
      const { verdict, unfinished } = judge(success, late)
      expect(verdict).toBe(why === undefined ? 'hung' : 'passed')
      if (why !== undefined) expect(unfinished).toContain(why)
      const pending = [{ kind: 'job', text: 'job j was polled' }] as const
      const waiting = { ...late, observed: { ...late.observed, pending } }
      expect(judge(success, waiting).verdict).toBe('hung')
    },
  )

  it('is passed if the code ends as it should', () => {
    expect(judge(success, passed)).toEqual({ verdict: 'passed', mistakes: [] })
    expect(judge(anyEnd, failed('out of memory')).verdict).toBe('passed')
  })

  it('has a remark if the code reports success, and no job succeeded', () => {
    const none = succeeded({ succeeded: 0 })
    expect(judge(anyEnd, none).remark).toBe('It reports success, although no job succeeded.')
    expect(judge(success, none).remark).toBeUndefined()
  })

  it('is failed if the code reports success, but could know that no job succeeded', () => {
    const none = succeeded({ succeeded: 0 })
    for (const trial of [anyEnd, success]) {
      expect(judge(trial, none, seen)).toMatchObject({
        verdict: 'failed',
        mistakes: [
          {
            title: 'the code reports success, although no job succeeded',
            needsBaseline: true,
            reason:
              'It created 1 job, and none succeeded. Without a fault, 1 job succeeded: end with an error, so that the caller knows. Usual cause: an exception of the training is caught, and not raised again. Read more: svtrain-emulator docs explore',
          },
        ],
      })
    }
    const refused = { ...none, observed: { ...none.observed, created: { jobs: 0, models: 1 } } }
    expect(judge(anyEnd, refused, seen).mistakes[0]?.reason).toMatch(/^It created no job\. /)
  })

  it('is passed if code trains nothing by design, or only submits', () => {
    const none = succeeded({ succeeded: 0 })
    const trainsNothing = { ...seen, created: { jobs: 0, models: 1 }, succeeded: 0 }
    expect(judge(anyEnd, none, trainsNothing).verdict).toBe('passed')
    const onlySubmits = { ...seen, calls: { createRlTrainingJob: 1 } }
    expect(judge(anyEnd, none, onlySubmits).verdict).toBe('passed')
    // All of its rollouts were refused, so there is nothing to submit.
    const noBatch = { ...seen, calls: { createChatCompletion: 4 }, created: { jobs: 0, models: 1 } }
    const left = succeeded({ ...noBatch, succeeded: 0 })
    expect(judge(anyEnd, left, seen).verdict).toBe('passed')
    expect(judge(success, left, seen).verdict).toBe('failed')
  })

  it('is failed after an error where success was expected', () => {
    const problem = { operation: 'createModel', outcome: '503', times: 1, recovered: false }
    const { verdict, mistakes } = judge(success, failed('HTTP 503', { problem }))
    expect(verdict).toBe('failed')
    expect(mistakes).toEqual([
      {
        verdict: 'failed',
        signature: 'failed createModel busy',
        title: 'createModel was refused with 503, and the code gave up',
        reason: 'HTTP 503',
        problem,
      },
    ])
  })

  it.each([
    [
      { kind: 'call', text: 'createChatCompletion got no answer' },
      'createChatCompletion got no answer, and the code did not give up',
    ],
    [
      { kind: 'job', text: 'a job that is running was polled 412 times' },
      'the code keeps waiting for a job that does not end',
    ],
  ] as const)('is hung if it does not end: $0.kind', (pending, title) => {
    for (const trial of [success, anyEnd]) {
      const result = { ...hang, observed: { ...seen, pending: [pending] } }
      expect(judge(trial, result)).toMatchObject({ verdict: 'hung', mistakes: [{ title }] })
    }
  })

  it('names each client check that failed, also if the code ends as it should', () => {
    const findings: CheckFinding[] = [
      { check: 'duplicateJobs', text: 'job 1 is a duplicate', operation: 'createSftTrainingJob' },
      { check: 'duplicateJobs', text: 'job 2 is a duplicate' },
      { check: 'pollsPastTheEnd', text: 'request 3 polled job 1' },
      { check: 'earlyRetries', text: 'request 5 came early' },
    ]
    const { verdict, mistakes } = judge(anyEnd, failed('4 jobs', { findings }))
    expect(verdict).toBe('client_check')
    expect(mistakes.map(({ title, reason }) => [title, reason])).toEqual([
      [
        'createSftTrainingJob was repeated blindly (duplicateJobs)',
        'job 1 is a duplicate (and 1 more)',
      ],
      ['a job was polled after its end (pollsPastTheEnd)', 'request 3 polled job 1'],
      ['a call came back before its Retry-After (earlyRetries)', 'request 5 came early'],
    ])
  })

  it('is failed if deliveries alone make the code work twice', () => {
    const webhooks: ScenarioInput['webhooks'] = [{ name: 'w', adversary: [{ do: 'duplicate' }] }]
    const twice = succeeded({ created: { jobs: 2, models: 1 } })
    const only = { scenario: { name: 'mine', webhooks }, expects: 'success' } as const
    expect(judge(only, twice, seen)).toMatchObject({
      verdict: 'failed',
      mistakes: [
        {
          title: 'deliveries that come again start work again (more jobs)',
          reason: 'The code created 2 jobs instead of 1, although only deliveries differ',
          needsBaseline: true,
        },
      ],
    })
    expect(judge(only, passed, seen).verdict).toBe('passed')
    const faults: ScenarioInput['faults'] = [{ fault: 'drop', calls: 1 }]
    const both = { ...only, scenario: { ...only.scenario, faults } }
    expect(judge(both, twice, seen).verdict).toBe('passed')
    const jobs: ScenarioInput['jobs'] = [{ timeline: [{ event: 'training_ended' }] }]
    const rl = { nothing_to_train: 'fail' } as const
    const chat = { rules: [], cut_off: 0.5 }
    for (const other of [{ jobs }, { rl }, { chat }, { system_check: { database: false } }]) {
      const scripted = { ...only, scenario: { ...only.scenario, ...other } }
      expect(judge(scripted, twice, seen).verdict).toBe('passed')
    }
  })

  it('does not depend on ids, numbers, paths and values in an error', () => {
    const one = 'job 3fa85f64-5717-4562-b3fc-2c963f66afa6 took 12.5 s in /home/ada/loop.py: "x"'
    const other = 'job 8ea2aea6-f0a8-4db3-aa5f-3fa98bb832e0 took 3 s in /srv/app/run.py: "y z"'
    expect(normalized(one)).toBe(normalized(other))
    expect(normalized('out of memory')).not.toBe(normalized('out of time'))
  })
})

describe('an exploration', () => {
  it('passes code that survives everything', async () => {
    const report = await runExploration({ runs: 30 }, () => Promise.resolve(passed))
    expect(report).toMatchObject({ ended: 'all_runs', failures: [], seed: 1 })
    expect(report.runs).toHaveLength(30)
    expect(report.runs.map(({ number }) => number)).toEqual(
      report.runs.map((_, index) => index + 1),
    )
    expect(report.runs[0]!.name).toBe('happy-path')
    expect(report.runs.at(-1)!.name).toMatch(/^faults \d+$/)
    const skipped = new Map(report.skipped.map(({ name, reason }) => [name, reason]))
    expect(skipped.get('webhook-storm')).toBe('The code receives no webhooks.')
    expect(skipped.get('long-run')).toBe('There are too few runs for all scenarios.')
  })

  it('tries each scenario that fits by default, bad metrics first, and then draws faults', async () => {
    const calls = { ...seen.calls, listTrainingJobEvents: 3, listCheckpoints: 1 }
    const observed = {
      ...seen,
      calls,
      deliveries: 4,
      uses: ['tools', 'logprobs', 'judge'] as const,
    }
    const { runs, skipped } = await runExploration({}, () =>
      Promise.resolve({ ...passed, observed }),
    )
    const names = runs.map(({ name }) => name)
    for (const name of ['missing-metrics', 'nan-metrics', 'textual-metric', 'ends-early']) {
      expect(names.indexOf(name)).toBeGreaterThan(0)
      expect(names.indexOf(name)).toBeLessThan(12)
    }
    expect(names.filter((name) => name.startsWith('faults ')).length).toBeGreaterThan(5)
    // Each reason is about the code.
    expect(skipped.map(({ name }) => name).sort()).toEqual([
      'idle-polls',
      'jobs-concurrency-limit',
      'platform-down',
      'several-polls',
      'sft',
      'slow-commit',
      'system-check-degraded',
      'upload-fails',
    ])
  })

  it('stops if the code fails without any fault', async () => {
    let trials = 0
    const report = await runExploration({}, () => {
      trials++
      return Promise.resolve(failed('no such file'))
    })
    expect(trials).toBe(1)
    expect(report.ended).toBe('baseline')
    expect(report.failures).toMatchObject([
      {
        title: 'without any fault: the code failed: no such file',
        yaml: 'name: happy-path\nextends: happy-path\n',
      },
    ])
  })

  it('has one failure for one bug, with the smallest scenario', async () => {
    const run = fragile('hang', 'createChatCompletion', hang)
    const { failures, runs } = await runExploration({ runs: 60, seed: 4 }, run)
    expect(failures).toHaveLength(1)
    const [failure] = failures
    expect(failure!.runs.length).toBeGreaterThan(1)
    expect(failure!.shrinking.finished).toBe(true)
    expect(failure!.yaml).toBe(
      [
        'name: call-hangs',
        'description: "Call 1 of any operation: no answer."',
        'faults:',
        '  - { fault: hang, calls: 1 }',
        '',
      ].join('\n'),
    )
    for (const number of failure!.runs) expect(runs[number - 1]!.failure).toBe(1)
  })

  it('writes a check that only warns as an error, so that who repeats its failure sees it', async () => {
    const warnings: CheckFinding[] = [
      { check: 'forgottenJobs', text: 'job 2 was created while job 1 ran' },
    ]
    const warned = succeeded({ warnings })
    const code = fragile('hang', 'createChatCompletion', warned)
    const { failures } = await runExploration({ runs: 20 }, code)
    expect(failures).toMatchObject([
      { verdict: 'client_check', scenario: { checks: { forgotten_jobs: 'fail' } } },
    ])
    const findings: CheckFinding[] = [{ check: 'earlyRetries', text: 'a call came back after 1 s' }]
    const broken = succeeded({ findings })
    const other = fragile('hang', 'createChatCompletion', broken)
    const report = await runExploration({ runs: 20 }, other)
    expect(report.failures).toMatchObject([{ verdict: 'client_check' }])
    expect(report.failures[0]!.scenario).not.toHaveProperty('checks')
  })

  it('finds the same, however many trials run at once', async () => {
    const run = fragile('hang', 'createChatCompletion', hang)
    const slow: RunTrial = async (trial, signal) => {
      for (let turn = trial.number % 5; turn > 0; turn--) await Promise.resolve()
      return run(trial, signal)
    }
    const one = await runExploration({ runs: 60, seed: 2 }, slow)
    const four = await runExploration({ runs: 60, seed: 2, parallel: 4 }, slow)
    const comparable = ({ runs, failures, skipped }: typeof one) => ({
      runs,
      skipped,
      failures: failures.map((failure) => ({ ...failure, shrinking: undefined })),
    })
    expect(comparable(four)).toEqual(comparable(one))
  })

  it('does not draw faults that are known to be failures', async () => {
    const problem = { operation: 'createModel', outcome: '503', times: 1, recovered: false }
    const drawn: Trial[] = []
    const run: RunTrial = ({ scenario, ...trial }) => {
      if (trial.kind === 'faults') drawn.push({ scenario, ...trial })
      const isRefused = scenario.name === 'flaky-gateway'
      return Promise.resolve(isRefused ? failed('HTTP 503', { problem }) : passed)
    }
    await runExploration({ runs: 160 }, run)
    const refusals = drawn
      .flatMap(({ scenario }) => scenario.faults ?? [])
      .filter((fault) => {
        const isBusy = fault.fault === 'status' && [500, 502, 503, 504, 408].includes(fault.status)
        return isBusy && Object(fault.match).operation === 'createModel'
      })
    expect(drawn.length).toBeGreaterThan(50)
    expect(refusals).toEqual([])
  })

  it('says that a failure may be chance if it does not repeat', async () => {
    let times = 0
    const run: RunTrial = ({ name }) => {
      return Promise.resolve(name === 'flaky-gateway' && times++ === 0 ? failed('odd') : passed)
    }
    const report = await runExploration({ runs: 10 }, run)
    expect(report.failures).toMatchObject([{ flaky: true, shrinking: { finished: false } }])
    expect(formatReport(report)).toContain('It did not fail again with this scenario')
  })

  it('tries scenarios of the user, and asks of them what the user says', async () => {
    // No success is asked where a job of the scenario fails.
    const jobs: ScenarioInput['jobs'] = [
      { timeline: [{ event: 'training_failed', error_message: 'NaN in gradients' }] },
    ]
    const own: OwnScenario[] = [
      { scenario: { name: 'mine' } },
      { scenario: { name: 'refuses' }, expects: 'any_end' },
      { scenario: { name: 'fails', jobs } },
      { scenario: { name: 'must-retry', jobs }, expects: 'success' },
    ]
    const run: RunTrial = ({ name }) => {
      const isOwn = own.some(({ scenario }) => scenario.name === name)
      return Promise.resolve(isOwn ? failed('stopped') : passed)
    }
    const { runs } = await runExploration({ runs: 6, scenarios: own }, run)
    expect(runs.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual([
      'happy-path passed',
      'mine failed',
      'refuses passed',
      'fails passed',
      'must-retry failed',
      'commit-then-fail passed',
    ])
  })

  it('keeps time for the shrinker, and ends with the smallest scenario so far', async () => {
    let now = 0
    const run = fragile('hang', 'createChatCompletion', hang)
    const { ended, failures, runs } = await runExploration(
      { runs: 1000, time: 1000, now: () => now },
      async (trial, signal) => {
        now += 10
        return run(trial, signal)
      },
    )
    expect(ended).toBe('time')
    expect(runs.length).toBeLessThanOrEqual(61)
    expect(failures).toHaveLength(1)
    expect(failures[0]!.yaml.split('\n').length).toBeLessThan(8)
  })

  it('tells shrinking that took too long from runs that were left', async () => {
    let now = 0
    const run = fragile('hang', 'createChatCompletion', hang)
    const slowShrinking: RunTrial = (trial, signal) => {
      now += trial.kind === 'shrink' ? 400 : 10
      return run(trial, signal)
    }
    const options = { runs: 12, time: 1000, now: () => now }
    const report = await runExploration(options, slowShrinking)
    expect(report).toMatchObject({
      ended: 'all_runs',
      failures: [{ shrinking: { finished: false } }],
    })
    expect(report.runs).toHaveLength(12)
    expect(formatReport(report)).toMatch(
      / There was no time to make all scenarios as small as possible\.$/m,
    )

    now = 0
    const slowRuns: RunTrial = (trial, signal) => {
      now += 300
      return run(trial, signal)
    }
    const cut = await runExploration({ ...options, skip: ['faults'] }, slowRuns)
    expect(cut.ended).toBe('time')
    expect(cut.skipped).toContainEqual({
      name: 'flaky-gateway',
      reason: 'There was no time for it.',
    })
    expect(formatReport(cut)).toContain(' The time was over before all runs were done.\n')
  })

  it('says that all was done if the time ends with the last run', async () => {
    let now = 0
    const { ended } = await runExploration({ runs: 3, time: 30, now: () => now }, () => {
      now += 10
      return Promise.resolve(passed)
    })
    expect(ended).toBe('all_runs')
  })

  it('names each scenario that it did not try, by reason', async () => {
    const scenarios = ['one', 'two', 'three'].map((name): OwnScenario => ({ scenario: { name } }))
    const report = await runExploration({ runs: 3, scenarios, skip: ['faults'] }, () => {
      return Promise.resolve(passed)
    })
    const [, listed = ''] = formatReport(report, { allRuns: true }).split(/^Not tried:$/m)
    expect(listed).toMatch(
      /^ {2}There are too few runs for all scenarios: three, commit-then-fail, /m,
    )
    for (const { name } of report.skipped)
      expect(listed).toMatch(new RegExp(`[ ,]${name}(?:,|$)`, 'm'))
  })

  it('says first how long a run takes, and what is tried in the time, most telling first', async () => {
    const calls = { ...seen.calls, listTrainingJobEvents: 3 }
    const plans: ExplorePlan[] = []
    for (const parallel of [1, 2]) {
      let now = 0
      const run: RunTrial = () => {
        now += 100
        return Promise.resolve({ ...passed, took: 100, observed: { ...seen, calls } })
      }
      const options = { time: 1000, parallel, now: () => now, skip: ['several-polls'] }
      await runExploration({ ...options, onPlan: (plan) => plans.push(plan) }, run)
    }
    expect(plans.map(({ fits }) => fits)).toEqual([9, 18])
    expect(planLines(plans[0]!)).toEqual([
      'The first run took 100ms. If each takes as long, 9 of 79 planned runs fit into the time of 1s; later runs are often faster:',
      '  commit-then-fail: a job that is submitted again after a lost answer',
      '  failing-job: a failed job that is taken for a trained one',
      '  flaky-gateway: a call that is not repeated after 503',
      '  checkpoint-not-served: a checkpoint that is used before it is served',
      '  missing-metrics: a metric that is taken for a number',
      '  … 74 more',
    ])
  })

  it('tries a failed job early, and what code may wait for after what ends by itself', () => {
    const runs = Object.keys(builtInFacts).map((name) => ({ name }))
    // A scenario that is renamed must not lose its place.
    expect(webhookPart.names([]).map(findsOf)).not.toContain(undefined)
    const names = mostTellingFirst(runs).map(({ name }) => name)
    expect(names.slice(0, 5)).toContain('failing-job')
    // These are worth their time.
    expect(names.slice(8, 11)).toEqual(['rate-limited', 'chat-hangs', 'stuck-job'])
    expect(names.slice(-3).sort()).toEqual([
      'chat-stalls-mid-stream',
      'hanging-calls',
      'stuck-in-queue',
    ])
  })

  it('shows the most telling of the kills with one mistake, and puts its run first', async () => {
    const kills = readKills([
      'streamRun:1:before',
      'createRlTrainingJob:2:before',
      'streamRun:2:after',
    ])
    const work = { calls: {}, lastCall: undefined, models: [], jobs: [], runs: [] }
    const report = await runExploration({ only: ['crashes'], kills }, ({ kill }) => {
      const observed = { ...seen, work }
      return Promise.resolve(
        kill ? { ...failed('no state', { work }), killed: true } : { ...passed, observed },
      )
    })
    expect(report.failures).toMatchObject([{ kill: kills[1], runs: [4, 3, 5] }])
    expect(report.failures[0]!.reason).toMatch(/^Killed before the answer to call 2 of createRl/)
  })

  it('says first that kills tell little about code that creates one job', async () => {
    const noted = async (jobs: number): Promise<string | undefined> => {
      const work = { calls: seen.calls, lastCall: undefined, models: [], jobs: [], runs: [] }
      const observed = { ...seen, created: { jobs, models: 1 }, work }
      const plans: ExplorePlan[] = []
      const options = {
        only: ['crashes'],
        runs: 5,
        onPlan: (plan: ExplorePlan) => plans.push(plan),
      }
      await runExploration(options, () => Promise.resolve({ ...passed, killed: true, observed }))
      return planLines(plans[0]!).find((line) => line.startsWith('The code creates'))
    }
    expect(await noted(1)).toBe(
      'The code creates one job, so kills tell little about how it goes on from a step. Let it take more steps, such as three.',
    )
    expect(await noted(2)).toBeUndefined()
  })

  it('starts no run that cannot end in time, and names what was not tried', async () => {
    let now = 0
    const { runs, skipped, ended } = await runExploration({ time: 1000, now: () => now }, () => {
      now += 300
      return Promise.resolve(passed)
    })
    expect(runs).toHaveLength(3)
    expect(now).toBe(900)
    expect(ended).toBe('time')
    expect(skipped).toContainEqual({
      name: 'faults 1 and later',
      reason: 'There was no time for it.',
    })
  })

  it('counts a run that the end of the time stops as not tried', async () => {
    const stop = (signal: AbortSignal): Promise<TrialResult> => {
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ ...passed, ended: 'timeout' }))
      })
    }
    // The time stands still for all but the timer that ends the exploration.
    const options = { time: 500, now: () => 0 }
    const { runs, failures, skipped } = await runExploration(options, ({ number }, signal) => {
      return number < 3 ? Promise.resolve(passed) : stop(signal)
    })
    expect(runs.map(({ verdict }) => verdict)).toEqual(['passed', 'passed'])
    expect(failures).toEqual([])
    expect(skipped).toContainEqual({
      name: 'failing-job',
      reason: 'It had not ended when the time was over.',
    })
  })

  it.each([
    [
      { time: 150 },
      'No fault was tried: a run takes 100ms, so the time of 150ms has no room for one.',
      '5s',
    ],
    [
      { runs: 1 },
      'No fault was tried: there is no room for one in 1 run. Give it more runs.',
      undefined,
    ],
    [{ only: ['happy-path'] }, undefined, undefined],
  ])('says of %j whether it shows nothing', async (options, reason, time) => {
    let now = 0
    const report = await runExploration({ ...options, now: () => now }, () => {
      now += 100
      return Promise.resolve({ ...passed, took: 100 })
    })
    expect(report.runs).toHaveLength(1)
    expect(report.untried).toEqual(reason && { reason, ...(time && { time }) })
    if (reason) expect(formatReport(report)).toMatch(new RegExp(`^${reason}`))
  })

  it('stops when the user interrupts it, with what was found', async () => {
    const stop = new AbortController()
    const report = await runExploration(
      { signal: stop.signal, onRun: ({ number }) => number === 3 && stop.abort() },
      () => Promise.resolve(passed),
    )
    expect(report.ended).toBe('interrupted')
    expect(report.runs).toHaveLength(3)
  })
})

it('takes events that nobody reads after a kill for lost metrics, and for no failure', () => {
  const job = { id: 'j1', batch: 'a', groups: ['a'], lag: 0, sampledOld: false, fromBase: 0 }
  const work = (unseen: number): Work => ({
    calls: {},
    lastCall: undefined,
    models: [],
    jobs: [{ ...job, unseen }],
    runs: [],
  })
  const [kill] = readKills(['createRlTrainingJob:1:after'])
  const result = { ...passed, killed: true, observed: { ...seen, work: work(4) } }
  expect(judgeKill(kill!, result, { work: work(0), unstable: new Set() })).toMatchObject({
    verdict: 'passed',
    remark: '4 events of job j1 were never read, so the metrics of its steps are missing.',
  })
})

it('says of code that did not end in time that it gave up on calls, and may only be slow', () => {
  const observed = { ...seen, calls: { createChatCompletion: 16 }, leftHanging: 14 }
  const { mistakes } = judge(anyEnd, { ...passed, ended: 'timeout', took: 30_000, observed })
  expect(mistakes[0]!.reason).toBe(
    'the code did not end: most of its calls were createChatCompletion (16). It gave up on 14 calls that got no answer, and called again. It had 30s: a timeout of 1m shows if it ends',
  )
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { allBlocks, isWorkflow, root } from '../support/pages.js'
import { settings } from '../cli/parsed.js'

/** What pages say about CI systems that do not run here. The steps of workflows run in commands.test.ts. */

interface Step {
  uses?: string
  with?: Record<string, unknown>
}

interface Job {
  steps?: Step[]
  services?: Record<string, { env?: Record<string, string> }>
  artifacts?: { when?: string; paths?: string[]; reports?: { junit: string } }
  script?: string[]
}

interface Compose {
  services: Record<string, { environment?: Record<string, string>; depends_on?: object }>
}

const blocks = allBlocks().filter(isWorkflow)
const documents = blocks.map((block) => [block.place, parse(block.code)] as const)
const jobs = documents.flatMap(([place, document]): [string, Job][] => {
  const { jobs: listed, steps } = document as { jobs?: Record<string, Job>; steps?: Step[] }
  if (listed) return Object.values(listed).map((job) => [place, job])
  return steps ? [[place, { steps }]] : []
})
const gitlab = documents.filter(([, document]) => (document as { test?: Job }).test?.script)
const emulators = [
  ...jobs.flatMap(([place, { services = {} }]) => {
    return Object.values(services).map(({ env = {} }) => [place, env] as const)
  }),
  ...documents.flatMap(([place, document]) => {
    const { services = {} } = document as Partial<Compose>
    return Object.values(services).map(({ environment = {} }) => [place, environment] as const)
  }),
]

function inputsOf(action: string): string[] {
  const [, path = ''] = /^[\w.-]+\/svtrain-emulator\/(.+)@v\d+$/.exec(action)!
  const file = readFileSync(join(root, path, 'action.yml'), 'utf8')
  return Object.keys((parse(file) as { inputs: object }).inputs)
}

describe('workflows of GitHub', () => {
  const own = jobs.flatMap(([place, { steps = [] }]) => {
    return steps.flatMap((step) => (step.uses?.includes('svtrain') ? [[place, step] as const] : []))
  })

  it('use the actions of this repository', () => {
    expect(own.length).toBeGreaterThan(2)
  })

  it.each(own)('%s sets only inputs that the action has', (_place, { uses, with: given = {} }) => {
    const inputs = inputsOf(uses!)
    expect(Object.keys(given).filter((name) => !inputs.includes(name))).toEqual([])
  })

  it('have a table with every input', () => {
    const page = readFileSync(join(root, 'docs', 'how-to', 'ci.md'), 'utf8')
    const table = page.slice(page.indexOf('| input '), page.indexOf('### Several steps'))
    const rows = table
      .split('\n')
      .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(.+?)`/g)])
    const inputs = inputsOf('owner/svtrain-emulator/.github/actions/svtrain-emulator@v0')
    expect(rows.map(([, name]) => name!).toSorted()).toEqual(inputs.toSorted())
  })
})

it.each(gitlab)('%s keeps the reports that its script writes', (_place, document) => {
  const { script = [], artifacts = {} } = (document as { test: Job }).test
  const text = script.join('\n')
  const junit = /--junit (\S+)/.exec(text)?.[1]
  expect(artifacts.reports?.junit).toBe(junit)
  for (const path of artifacts.paths!) expect(text).toContain(path)
  // Reports of tests that passed count, too.
  if (junit !== undefined) expect(artifacts.when).toBe('always')
})

it('finds the containers of pages', () => {
  expect(gitlab.length).toBe(2)
  expect(emulators.filter(([, env]) => 'SVTRAIN_EMULATOR_SCENARIO' in env)).toHaveLength(2)
})

it.each(emulators)('%s sets only options that exist', async (_place, environment) => {
  expect((await settings('', environment)).watch).toBe(false)
})

it('pages name containers as the image accepts them', () => {
  const dockerfile = readFileSync(join(root, '.github', 'Dockerfile'), 'utf8')
  const names = /SVTRAIN_EMULATOR_ALLOW_HOST=(\S+)/.exec(dockerfile)![1]!.split(',')
  const hosts = blocks.flatMap(({ code }) => {
    return [...code.matchAll(/http:\/\/([a-z-]+):460[01]/g)].map(([, host]) => host!)
  })
  expect(hosts).toContain('emulator')
  expect(hosts.filter((host) => ![...names, 'localhost'].includes(host))).toEqual([])
})

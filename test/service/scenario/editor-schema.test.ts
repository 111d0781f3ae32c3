import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { getLanguageService as forJson, TextDocument } from 'vscode-json-languageservice'
import { getLanguageService as forYaml } from 'yaml-language-server'
import { describe, expect, it } from 'vitest'
import { faultKinds } from '../../../src/service/scenario/faults/kinds/index.js'
import { operationNames } from '../../../src/service/contract/operation-names.js'
import { builtInScenarioNames } from '../../../src/service/scenario/built-in-scenarios.js'
import { scenarioJsonSchema } from '../../../src/service/scenario/scenario-json-schema.js'
import { editorSchema } from '../../../src/service/scenario/editor-schema.js'
import { allBlocks, isWorkflow, root } from '../../support/pages.js'

interface Schema extends Readonly<Record<string, unknown>> {
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly properties?: Readonly<Record<string, Schema>>
}

const schema = editorSchema(operationNames) as Schema
const ajv = new Ajv2020({ strict: false, allErrors: true })
ajv.addSchema(schema, 'scenario')
const accepts: ValidateFunction = ajv.getSchema('scenario')!

interface Key {
  /** As in a JSON pointer: `/properties/seed`. */
  readonly pointer: string
  readonly schema: Schema
}

/** Every key that a file can have. A part that several keys share appears once. */
function keysIn(part: unknown, pointer = ''): Key[] {
  if (typeof part !== 'object' || part === null) return []
  const keys = Object.entries((part as Schema).properties ?? {}).map(([name, value]) => ({
    pointer: `${pointer}/properties/${name}`,
    schema: value,
  }))
  const inner = Object.entries(part).flatMap(([name, value]) => {
    const isData = ['examples', 'default', 'const', 'enum'].includes(name)
    if (isData && !pointer.endsWith('/properties')) return []
    return keysIn(value, `${pointer}/${name}`)
  })
  return [...(pointer.endsWith('/properties') ? [] : keys), ...inner]
}

function resolved(part: Schema): Schema {
  if (part.$ref === undefined) return part
  return { ...schema.$defs![part.$ref.replace('#/$defs/', '')], ...part }
}

const keys = keysIn(schema)

describe('the schema for editors', () => {
  it('describes every key, with examples', () => {
    expect(keys.length).toBeGreaterThan(300)
    const bare = keys.filter((key) => {
      const { description = '', examples = [] } = resolved(key.schema)
      return !/^[^ ].*\.$/s.test(description) || examples.length === 0
    })
    expect(bare.map(({ pointer }) => pointer)).toEqual([])
  })

  it('accepts the examples of every key', () => {
    const refused = keys.flatMap(({ pointer, schema: part }) => {
      const check = ajv.compile({ $ref: `scenario#${pointer}` })
      return resolved(part)
        .examples!.filter((example) => !check(example))
        .map((example) => `${pointer}: ${JSON.stringify(example)}`)
    })
    expect(refused).toEqual([])
  })

  it('accepts every built-in scenario', () => {
    const refused = builtInScenarioNames.filter((name) => {
      return !accepts(parse(readFileSync(join(root, 'scenarios', `${name}.yaml`), 'utf8')))
    })
    expect(refused).toEqual([])
  })

  it('accepts every scenario of the documentation', () => {
    const blocks = allBlocks().filter((block) => {
      return block.language === 'yaml' && /^name: /m.test(block.code) && !isWorkflow(block)
    })
    expect(blocks.length).toBeGreaterThan(10)
    const refused = blocks.filter(({ code }) => !accepts(parse(code)))
    expect(refused.map(({ place }) => place)).toEqual([])
  })

  it('has the meaning of each value that a description explains, in the order of the values', () => {
    const explained = keys.flatMap(({ schema: part }) => {
      const { enum: names = [], enumDescriptions: texts = [], description } = resolved(part)
      const isExplained =
        (names as string[]).length > 0 &&
        (names as string[]).every((name) => description!.includes(` ${name}: `))
      return isExplained
        ? [{ names: names as string[], texts: texts as string[], description }]
        : []
    })
    expect(explained.length).toBeGreaterThan(12)
    for (const { names, texts, description } of explained) {
      const meanings = names.map((name, index) => `${name}: ${texts[index]}`.toLowerCase())
      const missing = meanings.filter((meaning) => !description!.toLowerCase().includes(meaning))
      expect(missing).toEqual([])
    }
  })

  it('is small: repeated parts are shared', () => {
    const whole = JSON.stringify(scenarioJsonSchema(operationNames))
    expect(JSON.stringify(schema).length).toBeLessThan(whole.length / 2)
  })
})

// The services change the schemas that they are given.
const saved = JSON.stringify(schema)
const given = { uri: 'file:///scenario.schema.json', schema: JSON.parse(saved) as object }

/** The languages of VS Code: its YAML extension, and what it has for JSON. */
const yaml = forYaml({
  schemaRequestService: () => Promise.resolve(saved),
  workspaceContext: { resolveRelativePath: (path) => path },
})
yaml.configure({
  validate: true,
  hover: true,
  completion: true,
  schemas: [{ ...given, fileMatch: ['*.yaml'] }],
})
const json = forJson({ schemaRequestService: () => Promise.resolve(saved) })
json.configure({
  schemas: [{ ...given, schema: JSON.parse(saved) as object, fileMatch: ['*.json'] }],
})

let written = 0

/** Opens a text in the editor. The mark `|` is the cursor. */
function opened(marked: string, ending = 'yaml') {
  const at = marked.indexOf('|')
  const text = at < 0 ? marked : marked.slice(0, at) + marked.slice(at + 1)
  written++
  const document = TextDocument.create(`file:///${written}.${ending}`, ending, 1, text)
  return { document, position: document.positionAt(at) }
}

async function completions(marked: string): Promise<Map<string, string>> {
  const { document, position } = opened(marked)
  const { items } = await yaml.doComplete(document, position, false)
  return new Map(
    items.map(({ label, documentation }) => [
      label,
      typeof documentation === 'object' ? documentation.value : (documentation ?? ''),
    ]),
  )
}

async function labels(marked: string): Promise<string[]> {
  return [...(await completions(marked)).keys()]
}

async function hover(marked: string): Promise<string> {
  const { document, position } = opened(marked)
  const found = await yaml.doHover(document, position)
  return (found!.contents as { value: string }).value
}

/** The line and the text of each problem that the editor shows. */
async function problems(text: string): Promise<string[]> {
  const found = await yaml.doValidation(opened(text).document, false)
  return found.map(({ range, message }) => `${range.start.line + 1}: ${message}`)
}

describe('an editor with the YAML extension', () => {
  it('lists all faults, each with what it does', async () => {
    const listed = await completions('name: mine\nfaults:\n  - fault: |\n')
    expect([...listed.keys()].sort()).toEqual(Object.keys(faultKinds).sort())
    expect(listed.get('status')).toBe('Answers with an error status.')
    expect([...listed.values()]).not.toContain('')
  })

  it.each([
    ['jobs:\n  - timeline:\n      - event: |\n', ['gradient_step', 'training_failed']],
    ['timeline:\n  - do: |\n', ['stall_job']],
    ['automations:\n  - event: |\n', ['RUN_STATE']],
    ['webhooks:\n  - name: a\n    adversary:\n      - do: |\n', ['duplicate']],
    ['faults:\n  - fault: hang\n    match:\n      operation: create|\n', operationNames],
    ['faults:\n  - fault: hang\n    match:\n      operation: [create|]\n', ['createModel']],
    ['extends: fail|\n', ['failing-job']],
    ['models:\n  - base_model: |\n', ['example/base-8b-instruct']],
  ])('completes what can stand in a place: %j', async (text, expected) => {
    expect(await labels(`name: mine\n${text}`)).toEqual(expect.arrayContaining([...expected]))
  })

  it('says what each value of a list of values means', async () => {
    const modes = await completions('name: mine\nclock:\n  mode: |\n')
    expect(modes.get('auto')).toBe('Time skips ahead when a client polls.')
  })

  it('completes only the keys of the fault that is written', async () => {
    const names = await labels('name: mine\nfaults:\n  - fault: delay\n    |\n')
    expect(names).toEqual(expect.arrayContaining(['delay', 'during']))
    expect(names).not.toContain('status')
  })

  it('explains the key under the mouse', async () => {
    expect(await hover('name: mine\nclock:\n  sp|eed: 2\n')).toContain(
      'Seconds of the scenario per second of real time',
    )
    expect(await hover('name: mine\nfaults:\n  - fault: sta|tus\n    status: 503\n')).toContain(
      'Answers with an error status.',
    )
  })

  it('reports a mistake on its line', async () => {
    expect(await problems('name: mine\njbos: []\n')).toEqual(['2: Property jbos is not allowed.'])
    expect(await problems('name: mine\ntimeline:\n  - at: 3 seconds\n    do: stall_job\n')).toEqual(
      ['3: Expected a duration such as 250ms, 10s, 5m or 1h30m.'],
    )
    const fault = 'name: mine\nfaults:\n  - fault: status\n    status: 503\n'
    expect(await problems(`${fault}    probabilty: 1\n`)).toEqual([
      '5: Property probabilty is not allowed.',
    ])
  })

  it('reports no problem in a scenario', async () => {
    const text = readFileSync(join(root, 'scenarios', 'happy-path.yaml'), 'utf8')
    expect(await problems(text)).toEqual([])
  })
})

describe('an editor of JSON', () => {
  it('completes and checks a scenario', async () => {
    const { document, position } = opened('{ "name": "mine", "faults": [{ "fault": | }] }', 'json')
    const list = await json.doComplete(document, position, json.parseJSONDocument(document))
    expect(list!.items.map(({ label }) => label)).toContain('"hang"')
    const wrong = opened('{ "$schema": "x.json", "name": "mine", "jbos": [] }', 'json').document
    const found = await json.doValidation(wrong, json.parseJSONDocument(wrong))
    expect(found.map(({ message }) => message)).toEqual(['Property jbos is not allowed.'])
  })
})

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmulator as createInBrowser } from '../../src/browser.js'
import { createEmulator, loadScenario, type EmulatorOptions } from '../../src/index.js'
import { clientOf } from '../support/api-client.js'
import { controlled } from './control/control.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { copyOfTokenizer, TOKENIZER_FOLDER, tokenizerContent } from '../support/tokenizer.js'

const id = 'org/model'
const chat = { model: id, messages: [{ role: 'user', content: 'Hello.' }], return_token_ids: true }
const { tokenizer, config, chatTemplate } = tokenizerContent()

type Target = Parameters<typeof clientOf>[0]

/** The ids of the prompt of a chat. */
async function promptOf(options: EmulatorOptions | Target, more = {}): Promise<number[]> {
  const emulator = 'fetch' in options ? options : createEmulator(options)
  const { status, body } = await clientOf(emulator).post('/chat/completions', { ...chat, ...more })
  expect(status).toBe(200)
  return body.prompt_token_ids
}

const expected = await promptOf({ baseModels: [{ id, tokenizer: TOKENIZER_FOLDER }] })

describe('a tokenizer', () => {
  it('is named in a scenario by a path from the working directory', async () => {
    const base_models = [{ id, tokenizer: relative('', TOKENIZER_FOLDER) }]
    expect(await promptOf({ scenario: { name: 'mine', base_models } })).toEqual(expected)
  })

  it.each([
    ['mine.yaml', `name: mine\nbase_models:\n  - { id: ${id}, tokenizer: ../tokenizer }\n`],
    [
      'mine.mjs',
      `export default { name: 'mine', base_models: [{ id: '${id}', tokenizer: '../tokenizer' }] }`,
    ],
  ])('is named in the file %s by a path from its folder', async (name, text) => {
    const folder = join(copyOfTokenizer(), '..', 'scenarios')
    mkdirSync(folder)
    writeFileSync(join(folder, name), text)
    const scenario = await loadScenario(join(folder, name))
    expect(await promptOf({ scenario })).toEqual(expected)
    const child = join(folder, '..', 'child.yaml')
    writeFileSync(child, `name: child\nextends: ./scenarios/${name}\n`)
    expect(await promptOf({ scenario: await loadScenario(child) })).toEqual(expected)
  })

  it('of a scenario is not read if an option replaces its base model', async () => {
    const base_models = [{ id, tokenizer: './not-here' }]
    const baseModels = [{ id, tokenizer: TOKENIZER_FOLDER }]
    expect(await promptOf({ scenario: { name: 'mine', base_models }, baseModels })).toEqual(
      expected,
    )
  })

  it('can be given as content, also in a browser', async () => {
    const inConfig = { tokenizer, config: { ...config, chat_template: chatTemplate } }
    for (const content of [tokenizerContent(), inConfig]) {
      const emulator = createInBrowser({ baseModels: [{ id, tokenizer: content }] })
      expect(await promptOf(emulator)).toEqual(expected)
    }
  })

  it('may have a token without a text', async () => {
    const { added_tokens: added } = tokenizer as { added_tokens: { id: number }[] }
    const empty = { id: Math.max(...added.map((token) => token.id)) + 1, content: '' }
    const own = { ...tokenizer, added_tokens: [...added, empty] }
    const messages = [{ role: 'user', content: 'Is 1 < 2?' }]
    const promptWith = (each: object): Promise<number[]> => {
      const content = { tokenizer: each, config, chatTemplate }
      return promptOf({ baseModels: [{ id, tokenizer: content }] }, { messages })
    }
    expect(await promptWith(own)).toEqual(await promptWith(tokenizer))
  })

  it('stays in a snapshot, and is needed to restore it', async () => {
    const folder = copyOfTokenizer()
    const scenario = { name: 'mine', base_models: [{ id, tokenizer: folder }] }
    const snapshot = await createEmulator({ scenario }).snapshot()
    expect(await promptOf({ snapshot })).toEqual(expected)
    rmSync(folder, { recursive: true })
    const restore = (): unknown => createEmulator({ snapshot })
    expect(restore).toThrow('base_models[0].tokenizer: ')
    expect(restore).toThrow('tokenizer.json does not exist')
    const emulator = createEmulator({ seed: 7 })
    expect(() => emulator.restore(snapshot)).toThrow('tokenizer.json does not exist')
    expect(emulator.scenario.name).toBe('happy-path')
    // The content takes precedence over a folder.
    const baseModels = [{ id, tokenizer: tokenizerContent() }]
    expect(await promptOf({ baseModels })).toEqual(expected)
  })

  it('stays in a data folder, and is needed to continue it', async () => {
    const [data, folder] = [temporaryFolder(), copyOfTokenizer()]
    const scenario = { name: 'mine', base_models: [{ id, tokenizer: folder }] }
    const emulator = createEmulator({ data, scenario })
    await promptOf(emulator)
    await emulator.close()
    const again = createEmulator({ data })
    expect(await promptOf(again)).toEqual(expected)
    await again.close()
    rmSync(folder, { recursive: true })
    const refused = `base_models[0].tokenizer: ${join(folder, 'tokenizer.json')} does not exist`
    expect(() => createEmulator({ data })).toThrow(refused)
    // The folder of the data is free again.
    await createEmulator({ data, scenario: 'happy-path' }).close()
  })

  it('is refused over the control API, which changes nothing', async () => {
    const { emulator, call } = controlled({ seed: 7 })
    const scenario = { name: 'mine', base_models: [{ id, tokenizer: '/nowhere' }] }
    const detail =
      'The tokenizers cannot be used:\n  base_models[0].tokenizer: /nowhere/tokenizer.json does not exist'
    expect(await call('POST /reset', { scenario, seed: 8 })).toEqual({
      status: 400,
      body: { detail },
    })
    expect([emulator.scenario.name, emulator.seed]).toEqual(['happy-path', 7])
  })

  it('is read again after its files change', async () => {
    const folder = copyOfTokenizer()
    const baseModels = [{ id, tokenizer: folder }]
    expect(await promptOf({ baseModels })).toEqual(expected)
    writeFileSync(join(folder, 'chat_template.jinja'), '{{ messages[0].content }}')
    expect((await promptOf({ baseModels })).length).toBeLessThan(expected.length)
  })

  it('stays in use while its folder changes or is gone', async () => {
    const folder = copyOfTokenizer()
    const scenario = { name: 'mine', base_models: [{ id, tokenizer: folder }] }
    const emulator = createEmulator({ scenario, isolate: 'api-key' })
    rmSync(folder, { recursive: true })
    for (const world of [emulator, emulator.world('key')]) {
      expect(await promptOf(world)).toEqual(expected)
    }
  })

  it('can be that of one world', async () => {
    const emulator = createEmulator({ isolate: 'api-key' })
    const world = emulator.world('key')
    const nowhere = { name: 'mine', base_models: [{ id, tokenizer: '/nowhere' }] }
    for (const change of ['reset', 'revise'] as const) {
      expect(() => world[change](nowhere)).toThrow('/nowhere/tokenizer.json does not exist')
    }
    world.reset()
    world.reset({ name: 'mine', base_models: [{ id, tokenizer: TOKENIZER_FOLDER }] })
    expect(await promptOf(world)).toEqual(expected)
    expect((await clientOf(emulator).post('/chat/completions', chat)).status).toBe(404)
  })

  it('has another template for tools, if it names one', async () => {
    const templates = [
      { name: 'default', template: 'plain' },
      { name: 'tool_use', template: 'with tools' },
    ]
    const content = { tokenizer, config: { ...config, chat_template: templates } }
    const emulator = createEmulator({ baseModels: [{ id, tokenizer: content }] })
    const tools = [{ type: 'function', function: { name: 'find' } }]
    const [without, withTools] = [await promptOf(emulator), await promptOf(emulator, { tools })]
    expect(without.length).toBeLessThan(withTools.length)
  })

  it('may be one of several base models of the options', async () => {
    const base_models = ['org/one', { id, context_window: 50 }]
    const scenario = { name: 'mine', base_models }
    const baseModels = ['org/two', { id, contextWindow: 60 }]
    const emulator = createEmulator({ scenario, baseModels })
    const { body } = await clientOf(emulator).inference.get('/models')
    const ids = (body.data as { id: string }[]).map((each) => each.id)
    expect(ids).toEqual(['org/one', 'org/two', id])
    const { body: answer } = await clientOf(emulator).post('/chat/completions', {
      ...chat,
      max_tokens: 70,
    })
    expect(answer.error.message).toContain('max_total_tokens=60')
  })
})

describe('a folder of a tokenizer that cannot be used', () => {
  const flaws: [string, file: string, text: string | undefined, message: string][] = [
    ['no vocabulary', 'tokenizer.json', undefined, 'tokenizer.json does not exist'],
    [
      'no configuration',
      'tokenizer_config.json',
      undefined,
      'tokenizer_config.json does not exist',
    ],
    ['broken JSON', 'tokenizer.json', '{', 'tokenizer.json is not JSON: '],
    [
      'a list',
      'tokenizer_config.json',
      '[]',
      'tokenizer_config.json is a list; expected a map of keys and values',
    ],
    [
      'no model',
      'tokenizer.json',
      '{}',
      'tokenizer.json has no `model`; expected one such as {"type": "BPE", "vocab": …}',
    ],
    [
      'no vocabulary in the model',
      'tokenizer.json',
      '{"model":{"type":"BPE"}}',
      'tokenizer.json has no `model.vocab`; expected the ids of all tokens',
    ],
    [
      'no template',
      'chat_template.jinja',
      undefined,
      'tokenizer_config.json has no `chat_template`, and there is no chat_template.jinja; expected a chat template in one of them',
    ],
  ]

  it.each(flaws)('is refused for %s, with its file', async (_flaw, spoiled, text, message) => {
    const folder = copyOfTokenizer()
    const spoiledFile = join(folder, spoiled)
    if (text === undefined) rmSync(spoiledFile)
    else writeFileSync(spoiledFile, text)
    const base_models = [{ id, tokenizer: folder }]
    const shown = join(folder, message)
    expect(() => createEmulator({ scenario: { name: 'mine', base_models } })).toThrow(
      `base_models[0].tokenizer: ${shown}`,
    )
    expect(() => createEmulator({ baseModels: base_models })).toThrow(
      `option baseModels[0].tokenizer: ${shown}`,
    )
    const file = join(temporaryFolder(), 'mine.yaml')
    writeFileSync(file, `name: mine\nbase_models:\n  - id: ${id}\n    tokenizer: ${folder}\n`)
    await expect(loadScenario(file)).rejects.toThrow(`:4:16 base_models[0].tokenizer: ${shown}`)
  })

  it('is refused with the file of a scenario if its template cannot be used', async () => {
    const folder = copyOfTokenizer()
    writeFileSync(join(folder, 'chat_template.jinja'), 'a\n{{ b | pprint }}')
    const file = join(temporaryFolder(), 'mine.yaml')
    writeFileSync(file, `name: mine\nbase_models: [{ id: ${id}, tokenizer: ${folder} }]\n`)
    await expect(loadScenario(file)).rejects.toThrow(
      'has a chat template that cannot be used: line 2: the filter pprint is not supported.',
    )
    // In code, the first chat finds it out. The server answers so, too.
    const emulator = createEmulator({ baseModels: [{ id, tokenizer: folder }] })
    const { status, body } = await clientOf(emulator).post('/chat/completions', chat)
    expect([status, body.error.type]).toEqual([400, 'BadRequestError'])
  })

  it('is refused in a browser, which has no folders', () => {
    expect(() => createInBrowser({ baseModels: [{ id, tokenizer: './folder' }] })).toThrow(
      './folder cannot be read here, because there are no files; pass its content: createEmulator({ baseModels: [{ id, tokenizer: { tokenizer, config } }] })',
    )
  })

  it.each([
    [
      { tokenizer: {}, config },
      'cannot be used: tokenizer.json has no `model`; expected one such as {"type": "BPE", "vocab": …}.',
    ],
    [{ tokenizer }, 'config" is missing; expected'],
    ['', 'is ""; expected'],
  ])('is refused as content: %#', (content, message) => {
    const baseModels = [{ id, tokenizer: content as never }]
    expect(() => createEmulator({ baseModels })).toThrow(message)
  })
})

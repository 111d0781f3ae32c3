import { expect, it } from 'vitest'
import { reproduction } from '../../src/cli/report/reproduction.js'

it('the command to run again has the scenario, the seed and the options of this run', () => {
  expect(reproduction({ '--': ['pytest', '-x'] }, 7)).toBe(
    'svtrain-emulator exec --scenario happy-path --seed 7 -- pytest -x',
  )
  const args = {
    scenario: './my file.yaml',
    extensions: ['responses', 'messages'],
    sink: true,
    log: 'json',
    env: [{ variable: 'OPENAI_BASE_URL', template: '{inference}' }],
    '--': ['sh', '-c', "echo 'it'"],
  }
  expect(reproduction(args, 1)).toBe(
    String.raw`svtrain-emulator exec --scenario './my file.yaml' --seed 1 --extensions responses,messages --sink --env 'OPENAI_BASE_URL={inference}' -- sh -c 'echo '\''it'\'''`,
  )
})

it('the command to run again shows no secrets', () => {
  const text = reproduction(
    {
      'api-key': ['top-secret'],
      'webhook-secret': 'top-secret',
      webhook: ['http://me:top-secret@127.0.0.1/hook'],
      env: [{ variable: 'OTHER_API_KEY', template: 'top-secret' }],
      '--': ['true'],
    },
    1,
  )
  expect(text).toContain("--api-key '[not shown]'")
  expect(text).not.toContain('top-secret')
})

it('saved state brings its own scenario and seed', () => {
  expect(reproduction({ data: './kept', '--': ['true'] }, 3)).toBe(
    'svtrain-emulator exec --data ./kept -- true',
  )
})

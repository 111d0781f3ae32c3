import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtInScenarios } from '../../src/service/scenario/all-built-in-scenarios.js'
import { DEFAULT_SCENARIO, magicNames } from '../../src/service/scenario/built-in-scenarios.js'
import { root } from '../stamp.js'
import { block, code, page, table } from './markdown.js'

/** Lists the built-in scenarios, and what the files say about each. */
export function scenariosPage(): string {
  return page(
    'Built-in scenarios',
    'Each of these scenarios shows one thing that can go well or wrong. Serve one, run your tests against it, or watch what a client sees:',
    block(
      'sh',
      [
        'npx svtrain-emulator --scenario failing-job',
        'npx svtrain-emulator exec --scenario failing-job -- npm test',
        'npx svtrain-emulator play failing-job',
      ].join('\n'),
    ),
    "In a test: `createEmulator({ scenario: 'failing-job' })`. To change one, write `extends: failing-job` in a scenario of your own: see [Scenarios](../how-to/scenarios.md). [Failures by name](../how-to/faults.md) finds the scenario for a failure that you know.",
    `Without \`--scenario\`, the emulator plays \`${DEFAULT_SCENARIO}\`.`,
    '## All scenarios',
    table(
      ['name', 'what happens'],
      builtInScenarios.map(({ name, description }) => [`[${code(name)}](#${name})`, description]),
    ),
    '## Magic model names',
    `In \`${DEFAULT_SCENARIO}\`, and in scenarios that extend it, the beginning of a model’s name decides what its RL jobs do. In other scenarios these are ordinary names.`,
    block('sh', `curl http://127.0.0.1:4600/_emulator/jobs -d '{"model": "sim-fails"}'`),
    table(
      ['model name begins with', 'its jobs'],
      magicNames().map(({ name, effect }) => [code(name), `${upperFirst(effect)}.`]),
    ),
    '## Each scenario',
    ...builtInScenarios.flatMap(({ name, description }) => {
      const comment = commentOf(name)
      return [`### ${name}`, ...(comment === '' ? [description] : [description, comment])]
    }),
  )
}

/** The first comment of a scenario file, without the line for editors. Each paragraph is one line. */
function commentOf(name: string): string {
  const text = readFileSync(join(root, 'scenarios', `${name}.yaml`), 'utf8')
  const lines: string[] = []
  for (const line of text.split('\n')) {
    if (!line.startsWith('#')) break
    if (!line.includes('yaml-language-server')) lines.push(line.replace(/^# ?/, ''))
  }
  return lines.join('\n').trim()
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

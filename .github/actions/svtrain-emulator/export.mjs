// Exports what a ready emulator says about itself: masks first, then variables and outputs.
import { randomUUID } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, env, stdout } from 'node:process'

const folder = argv[2]
const ready = JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8'))
const { variables, webhooks = [] } = ready
const { SVTRAIN_API_KEY: key, SVTRAIN_CONTROL_TOKEN: token } = variables

function say(line) {
  stdout.write(`${line}\n`)
}

for (const secret of [key, token, ...webhooks.map((webhook) => webhook.secret)]) {
  if (secret) say(`::add-mask::${secret}`)
}

function append(file, name, value) {
  // No value can contain the line that ends it.
  const end = `end-${randomUUID()}`
  appendFileSync(file, `${name}<<${end}\n${value}\n${end}\n`)
}

for (const [name, value] of Object.entries(variables)) append(env.GITHUB_ENV, name, value)
const folders = [env.SVTRAIN_ACTION_FOLDERS, folder].filter(Boolean).join('\n')
append(env.GITHUB_ENV, 'SVTRAIN_ACTION_FOLDERS', folders)

const outputs = {
  'training-url': ready.trainingUrl,
  'inference-url': ready.inferenceUrl,
  'control-url': ready.controlUrl,
  'sink-url': ready.sinkUrl ?? '',
  'api-key': key ?? '',
  folder,
}
for (const [name, value] of Object.entries(outputs)) append(env.GITHUB_OUTPUT, name, value)

say(`svtrain-emulator ${ready.version} is ready.`)
for (const name of Object.keys(variables)) {
  const isSecret = variables[name] === key || variables[name] === token
  say(`  ${name}=${isSecret ? '***' : variables[name]}`)
}

// Exports what a ready emulator says about itself: masks first, then variables and outputs.
import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, env, stdout } from 'node:process'

const folder = argv[2]
const ready = JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8'))
const { webhooks = [], proxyUrl = '' } = ready
// GitHub refuses this variable. Only versions of Node that know no proxies need it.
const { NODE_OPTIONS: _refused, ...variables } = ready.variables
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
if (proxyUrl) saveBefore()
const folders = [env.SVTRAIN_ACTION_FOLDERS, folder].filter(Boolean).join('\n')
append(env.GITHUB_ENV, 'SVTRAIN_ACTION_FOLDERS', folders)

const outputs = {
  'training-url': ready.trainingUrl,
  'inference-url': ready.inferenceUrl,
  'control-url': ready.controlUrl,
  'sink-url': ready.sinkUrl ?? '',
  'proxy-url': proxyUrl,
  'api-key': key ?? '',
  folder,
}
for (const [name, value] of Object.entries(outputs)) append(env.GITHUB_OUTPUT, name, value)

say(`svtrain-emulator ${ready.version} is ready.`)
for (const name of Object.keys(variables)) {
  const isSecret = variables[name] === key || variables[name] === token
  say(`  ${name}=${isSecret ? '***' : variables[name]}`)
}

/** Saves what the stop has to restore, as the lines for the next steps: without the proxy, its variables lead nowhere. */
function saveBefore() {
  const roots = [
    '/etc/ssl/certs/ca-certificates.crt',
    '/etc/pki/tls/certs/ca-bundle.crt',
    '/etc/ssl/cert.pem',
  ]
  // An empty variable stands for a file without a name, so programs would trust nobody.
  const file = roots.find((each) => existsSync(each)) ?? ''
  const usual = {
    SSL_CERT_FILE: file,
    REQUESTS_CA_BUNDLE: file,
    CURL_CA_BUNDLE: file,
    SSL_CERT_DIR: '/etc/ssl/certs',
  }
  const names = Object.keys(variables).filter((name) => !/^(?:SVTRAIN|WANDB)_/.test(name))
  const path = join(folder, 'before')
  writeFileSync(path, '')
  for (const name of names) append(path, name, env[name] ?? usual[name] ?? '')
}

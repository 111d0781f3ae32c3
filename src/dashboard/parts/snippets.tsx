import type { ComponentChildren } from 'preact'
import type { Info, LocalKey } from '../../emulator/control/schemas/info.js'
import { Choices } from './choice.js'
import { CopyButton } from './copy-button.js'
import { quoted } from './curl.js'
import { useChoice } from '../routes.js'
import { useLive } from '../data/use-live.js'
import { Facts } from './facts.js'

const LANGUAGES = ['curl', 'Python', 'TypeScript'] as const
type Language = (typeof LANGUAGES)[number]

/** Code that calls the emulator, in each language. */
export type SnippetsFor = (info: Info, key: string) => Record<Language, string>

/** The base URL, the key and code that calls the emulator. The user can copy each of them. */
export function Snippets({ of }: { of: SnippetsFor }): ComponentChildren {
  const info = useLive((live) => live.info)
  const [language, setLanguage] = useChoice('language', LANGUAGES)
  if (!info) return null
  const code = of(info, LOCAL_KEY)[language]
  return (
    <div class="snippets stack">
      <Facts
        of={{
          'Base URL': <Copyable text={info.training_url} what="the base URL" />,
          Inference: <Copyable text={info.inference_url} what="the inference URL" />,
          'API key': (
            <>
              <Copyable text={LOCAL_KEY} what="the key" />{' '}
              <span class="faint">Any key works, unless you configured keys.</span>
            </>
          ),
        }}
      />
      <div class="line">
        <Choices label="Language" of={LANGUAGES} chosen={language} choose={setLanguage} />
        <CopyButton text={code} what="the code" />
      </div>
      <pre tabIndex={0}>{code}</pre>
    </div>
  )
}

/** A text that the user can copy. */
export function Copyable(props: { text: string; what: string }): ComponentChildren {
  return (
    <>
      <code>{props.text}</code> <CopyButton {...props} />
    </>
  )
}

/** The key that the banner of the emulator prints. The page has no code of the emulator, so the type compares them. */
export const LOCAL_KEY: LocalKey = 'svtrain-local00000000000000000000000000000000000'

/** Creates a model, and trains it with one job. */
export const trainSnippets: SnippetsFor = (info, key) => ({
  curl: `MODEL=$(curl -s ${info.training_url}/preview/models \\
  -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
  -d '${MODEL}' | grep -o '"id":"[^"]*"' | head -n 1 | cut -d '"' -f 4)
curl -s ${info.training_url}/preview/training-jobs \\
  -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
  -d '{"model_id":"'"$MODEL"'","trajectory_groups":${GROUPS}}'
`,
  Python: `import json
from urllib.request import Request, urlopen


def post(path, body):
    headers = {"Authorization": "Bearer ${key}", "Content-Type": "application/json"}
    url = "${info.training_url}" + path
    with urlopen(Request(url, json.dumps(body).encode(), headers)) as response:
        return json.load(response)


model = post("/preview/models", ${MODEL_SPACED})
job = post("/preview/training-jobs", {
    "model_id": model["id"],
    "trajectory_groups": [{"trajectories": [{"reward": 1}, {"reward": 0.5}]}],
})
print(job["id"])
`,
  TypeScript: `async function post(path: string, body: object): Promise<{ id: string }> {
  const headers = { authorization: 'Bearer ${key}', 'content-type': 'application/json' }
  const url = '${info.training_url}' + path
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as { id: string }
}

const model = await post('/preview/models', {
  project: 'demo',
  name: 'poet',
  base_model: 'example/base-8b-instruct',
  return_existing: true,
})
const job = await post('/preview/training-jobs', {
  model_id: model.id,
  trajectory_groups: [{ trajectories: [{ reward: 1 }, { reward: 0.5 }] }],
})
console.log(job.id)
`,
})

/** Reads the base models. */
export const readSnippets: SnippetsFor = (info, key) => ({
  curl: `curl -s ${info.training_url}/preview/base-models -H 'Authorization: Bearer ${key}'
`,
  Python: `import json
from urllib.request import Request, urlopen

url = "${info.training_url}/preview/base-models"
with urlopen(Request(url, headers={"Authorization": "Bearer ${key}"})) as response:
    print(json.load(response))
`,
  TypeScript: `const url = '${info.training_url}/preview/base-models'
const response = await fetch(url, { headers: { authorization: 'Bearer ${key}' } })
console.log(await response.json())
`,
})

const MODEL = `{"project":"demo","name":"poet","base_model":"example/base-8b-instruct","return_existing":true}`
const MODEL_SPACED = `{
    "project": "demo",
    "name": "poet",
    "base_model": "example/base-8b-instruct",
    "return_existing": True,
}`
const GROUPS = `[{"trajectories":[{"reward":1},{"reward":0.5}]}]`

/** A key that the user typed is not printed. */
const OWN_KEY = 'YOUR_API_KEY'

/** The chat as code. It calls the inference API, as clients do. */
export function chatSnippets(body: object, key: string): SnippetsFor {
  const shownKey = key === LOCAL_KEY ? key : OWN_KEY
  const json = JSON.stringify(body, undefined, 2)
  return ({ inference_url: url }) => ({
    curl: `curl -sN ${url}/chat/completions \\
  -H 'Authorization: Bearer ${shownKey}' -H 'Content-Type: application/json' \\
  -d ${quoted(json)}
`,
    Python: `import json
from urllib.request import Request, urlopen

body = json.loads(r'''${json.replaceAll("'''", String.raw`\u0027\u0027\u0027`)}''')
headers = {"Authorization": "Bearer ${shownKey}", "Content-Type": "application/json"}
request = Request("${url}/chat/completions", json.dumps(body).encode(), headers)
with urlopen(request) as response:
    for line in response:
        print(line.decode(), end="")
`,
    TypeScript: `const response = await fetch('${url}/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ${shownKey}', 'content-type': 'application/json' },
  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),
})
console.log(await response.text())
`,
  })
}

import { describe, expect, inject, it } from 'vitest'
import { describeApi } from '../../../src/service/api/openapi.js'
import type { FrameworkVersion } from '../../../src/service/contract/framework.js'
import { operations } from '../../../src/index.js'
import { compareAll, problemsIn, reportCompared } from '../compare-all.js'
import { prepare, type Environment, type Python } from '../python.js'
import type { Compared } from '../requests/compare.js'
import { generateRequests } from '../requests/generate.js'
import type { GeneratedRequest } from '../requests/recipe.js'

/** The generated requests, answered by each release of the framework that a scenario can choose. */

const SEED = 1

const releases: Readonly<Record<FrameworkVersion, Environment | 'framework'>> = {
  'fastapi-0.131': environmentOf('fastapi-0.131'),
  'fastapi-0.142': 'framework',
  'fastapi-0.165': environmentOf('fastapi-0.165'),
}

function environmentOf(name: FrameworkVersion): Environment {
  const requirements = `requirements-${name}.txt`
  return { oldest: 11, requirements, constraints: `constraints-${name}.txt` }
}

/** The generated requests, and every fifth of those with a text again without a content type. */
function requestsOf(): GeneratedRequest[] {
  const generated = generateRequests(describeApi(operations, 'training'), SEED)
  const untyped = generated
    .filter(({ base64, headers }) => {
      return base64 === undefined && headers['content-type'] === 'application/json'
    })
    .filter((_, index) => index % 5 === 0)
    .map((request) => {
      const { 'content-type': _type, ...headers } = request.headers
      return { ...request, headers }
    })
  return [...generated, ...untyped]
}

const CHAT = /\/chat\/completions\/?$/

/** Without a content type, chats reach the chat layer in the oldest release only. The oracle has no such layer. */
function withChatLayer(compared: Compared): Compared {
  const { request, theirs, ours } = compared
  const isChatError = theirs.status === 200 && ours.status === 400 && CHAT.test(request.path)
  if (!isChatError) return compared
  return { ...compared, isSame: false, reason: 'the chat layer has errors of its own' }
}

describe('the answers of a release of the framework', () => {
  it.each(Object.keys(releases) as FrameworkVersion[])(
    '%s are the same, except for known reasons',
    async (framework) => {
      const release = releases[framework]
      const python: Python =
        release === 'framework' ? inject('pythons').framework : await prepare(framework, release)
      if (python.command === undefined) {
        process.stdout.write(`Skipped: ${python.why}\n`)
        return
      }
      const asked = { requests: requestsOf(), framework }
      const compared = (await compareAll(python.command, asked)).map(withChatLayer)
      expect(problemsIn(compared)).toEqual([])
      const check = `Generated requests, \`framework: ${framework}\``
      expect(reportCompared(`2c-${framework}`, [{ check, compared }])).toEqual([])
    },
    600_000,
  )
})

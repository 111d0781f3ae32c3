/** The peers. Each is set up as its documentation says, for the calls that it supports. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answers } from '../answers.js'
import type { Call, Calls } from '../calls.js'
import { BARE, bare, ours, type Contestant } from '../contestants.js'
import { chatCalls, jobCall } from '../emulator-calls.js'
import { binOf, installPeers, manifestOf, newerNode, peersFolder, runsOn } from './install.js'
import { mockoonEnvironment } from './mockoon.js'
import { prismDocument } from './prism.js'

/** The bare server, the emulator and the peers. Installs the peers if necessary. */
export function contestantsFor(answers: Answers): Contestant[] {
  installPeers()
  const record = JSON.parse(answers.told.get.body as string) as { id: string }
  const get: Call = { method: 'GET', path: `/v1/jobs/${record.id}`, holds: record.id }
  const { chat } = chatCalls
  const usual = { beside: BARE, node: process.execPath, first: get.path }
  const aimock: Contestant = {
    ...usual,
    ...named('@copilotkit/aimock'),
    args: (port) => [join(peersFolder, 'aimock.mjs'), String(port), answers.file],
    first: '/v1/models',
    open: openAimock,
  }
  const environment = write('mockoon.json', mockoonEnvironment(answers))
  const mockoon: Contestant = {
    ...usual,
    ...named('@mockoon/cli'),
    args: (port) => {
      const flags = ['--repair', '--disable-log-to-file', '--disable-admin-api']
      return [binOf('mockoon-cli'), 'start', '-d', environment, '-p', String(port), ...flags]
    },
    open: () =>
      Promise.resolve({
        get,
        post: jobCall('any'),
        chat,
        firstPage: { method: 'GET', path: '/v1/events?page=1&limit=100', holds: '"gradient_step"' },
        deepPage: {
          method: 'GET',
          path: '/v1/events?page=100&limit=100',
          holds: '"gradient_step"',
        },
      }),
  }
  const records = write('json-server.json', { jobs: [record], events: answers.events })
  const jsonServer: Contestant = {
    ...usual,
    ...named('json-server'),
    args: (port) => {
      const flags = ['--host=127.0.0.1', '--quiet', '--no-gzip', `--port=${port}`]
      return [binOf('json-server'), records, ...flags]
    },
    first: `/jobs/${record.id}`,
    open: () =>
      Promise.resolve({
        get: { ...get, path: `/jobs/${record.id}` },
        firstPage: { method: 'GET', path: '/events?_start=0&_limit=100', holds: 'gradient_step' },
        deepPage: { method: 'GET', path: '/events?_start=9900&_limit=100', holds: 'gradient_step' },
      }),
  }
  const mockttp: Contestant = {
    ...usual,
    ...named('mockttp'),
    args: (port) => {
      return [join(peersFolder, 'mockttp.mjs'), String(port), answers.file, get.path, chat.path]
    },
    open: () => Promise.resolve({ get, chat }),
  }
  const document = write('prism.json', prismDocument(answers))
  const prismPath = `/v1/preview/training-jobs/${record.id}`
  const prism: Contestant = {
    ...usual,
    ...named('@stoplight/prism-cli'),
    args: (port) => [binOf('prism'), 'mock', document, '-p', String(port), '-v', 'silent'],
    first: prismPath,
    open: () =>
      Promise.resolve({ get: { ...get, path: prismPath }, post: jobCall(record.id), chat }),
  }
  return [bare(answers), ours(answers), ...onNodeOf([aimock, mockoon, jsonServer, mockttp, prism])]

  function write(name: string, content: object): string {
    const path = join(answers.folder, name)
    writeFileSync(path, JSON.stringify(content))
    return path
  }

  /** Peers that need a newer Node run on that one, next to a bare server on the same Node. */
  function onNodeOf(peers: readonly Contestant[]): Contestant[] {
    const needs = peers.map(
      (peer) => /\d+(?:\.\d+)?/.exec(manifestOf(peer.package!).engines?.node ?? '0')![0],
    )
    const late = peers.filter((_, index) => !runsOn(needs[index]!))
    const here = peers.filter((peer) => !late.includes(peer))
    if (late.length === 0) return here
    const { path: node, version } = newerNode()
    const limit = { ...bare(answers), name: `${BARE}, Node ${version.slice(1)}`, node }
    limit.beside = limit.name
    return [...here, limit, ...late.map((peer) => ({ ...peer, beside: limit.name, node }))]
  }
}

function named(name: string): { name: string; package: string } {
  return { name: `${name} ${manifestOf(name).version}`, package: name }
}

async function openAimock(url: string): Promise<Calls> {
  const path = '/v1/fine_tuning/jobs'
  // The trajectories go into a text field, so that the body has the same size.
  const texts = jobCall('bench').body!.match(/.{1,500}/g)!
  const metadata = Object.fromEntries(texts.map((text, index) => [`part-${index}`, text]))
  const sent = { model: 'gpt-4o-mini', metadata }
  const wrong = JSON.stringify(sent)
  const body = JSON.stringify({ ...sent, training_file: 'file-bench' })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url + path, { method: 'POST', headers, body })
  const { id } = (await response.json()) as { id: string }
  return {
    get: { method: 'GET', path: `${path}/${id}`, holds: id },
    post: { method: 'POST', path, body, holds: 'ftjob-', wrong },
    ...chatCalls,
  }
}

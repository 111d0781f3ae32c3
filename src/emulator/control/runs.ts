import { control } from './row.js'
import { fileReply } from './file-reply.js'
import { fileContent, fileQuery } from './schemas/stored-content.js'
import { pathOf } from './stored-path.js'
import { history, historyQuery, run, runPath, runs, runsQuery } from './schemas/runs.js'

const listRuns = control({
  id: 'listRuns',
  method: 'GET',
  path: '/_emulator/runs',
  summary: 'The runs that clients logged to, newest first; filters by entity, project and state',
  query: runsQuery,
  response: runs,
  run: ({ emulator, query }) => ({ runs: emulator.runs.list(query) }),
})

const readRun = control({
  id: 'readRun',
  method: 'GET',
  path: '/_emulator/runs/{entity}/{project}/{run}',
  summary: 'One run with its config, its summary and its files',
  refusals: [404],
  params: runPath,
  response: run,
  run: ({ emulator, params }) => emulator.runs.get(pathOf(params, params.run)),
})

const readRunHistory = control({
  id: 'readRunHistory',
  method: 'GET',
  path: '/_emulator/runs/{entity}/{project}/{run}/history',
  summary: 'What a run logged, all of it or one metric',
  refusals: [404],
  params: runPath,
  query: historyQuery,
  response: history,
  run: ({ emulator, params, query }) => ({
    rows: emulator.runs.history(pathOf(params, params.run), query),
  }),
})

const readRunFile = control({
  id: 'readRunFile',
  method: 'GET',
  path: '/_emulator/runs/{entity}/{project}/{run}/file',
  summary: 'The content of a file of a run',
  refusals: [404],
  params: runPath,
  query: fileQuery,
  response: fileContent,
  contentTypes: ['application/octet-stream'],
  run: ({ emulator, params, query }) => {
    return fileReply(emulator.runs.download(pathOf(params, params.run), query.path))
  },
})

export const runOperations = [listRuns, readRun, readRunHistory, readRunFile]

import { har, harQuery, report, reportQuery } from './schemas/reports.js'
import { TextReply } from '../../service/api/result.js'
import { control } from './row.js'

const readReport = control({
  id: 'readReport',
  method: 'GET',
  path: '/_emulator/report',
  summary: 'What happened, as one HTML page to share, without keys and secrets',
  query: reportQuery,
  response: report,
  contentTypes: ['text/html'],
  async run({ emulator: world, query }) {
    const [page, { policy }] = await Promise.all([world.report(query), world.reporter()])
    return new TextReply(page, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${policy}; frame-ancestors 'none'; sandbox`,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
  },
})

const readHar = control({
  id: 'readHar',
  method: 'GET',
  path: '/_emulator/har',
  summary: 'The requests as a HAR 1.2 file, without keys and secrets',
  query: harQuery,
  response: har,
  run: ({ emulator: world, query }) => world.har(query),
})

export const reportOperations = [readReport, readHar]

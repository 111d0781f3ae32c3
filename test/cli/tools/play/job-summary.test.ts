import { expect, it } from 'vitest'
import { plain } from '../../../../src/cli/failure/lines.js'
import { jobSummary } from '../../../../src/cli/tools/play/job-summary.js'
import { played } from '../../../tools/play/played.js'

it('names the metrics that never change last, also one that is always NaN', async () => {
  const { jobs } = await played('happy-path')
  const [job] = jobs
  const events = [2, 1].map((entropy, at) => {
    return { id: `${at}`, at, type: 'gradient_step', data: { broken: NaN, entropy } }
  })
  const lines = jobSummary({ ...job!, events }, { paint: plain.paint, width: undefined })
  expect(lines.slice(1).map((line) => line.trim().split(' ')[0])).toEqual(['entropy', 'broken'])
})

import { counted } from '../../../base/text/counted.js'
import { trainingCheck, trajectoriesWhere } from '../training-check.js'

export const trainedValidation = trainingCheck({
  mistake: 'Training on trajectories that were logged with another split, such as val.',
  legitimate:
    'Splits of training may have names of their own that begin with train, such as train-hard.',
  search: (job) =>
    trajectoriesWhere(job, ({ split }) =>
      split === undefined ? undefined : `logged as ${JSON.stringify(split)}`,
    ),
  judges: 'trajectory',
  say: (count) =>
    `${counted(count, 'trajectory', 'trajectories')} of another split ${count === 1 ? 'was' : 'were'} trained`,
  advice: 'sample validation and training apart, and submit only the second',
})

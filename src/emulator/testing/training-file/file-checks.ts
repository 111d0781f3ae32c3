import {
  checkNames,
  isFileCheck,
  type CheckName,
  type FileCheckName,
} from '../../../service/scenario/check-names.js'
import { checks } from '../checks/index.js'
import { isTrainingCheck } from '../training-check.js'
import type { RowShape } from './row.js'

/** The checks of training data that compare it with what an emulator has seen. They cannot read files. */
export const checksOfSamples: readonly CheckName[] = checkNames.filter((name) => {
  return isTrainingCheck(checks[name]) && !isFileCheck(name)
})

const NO_CHOICES = 'these rows have no choices: only the messages of answers'

/** Why a check says nothing about rows of a shape. Undefined if it reads them. */
export function whyNot(check: FileCheckName, shape: RowShape): string | undefined {
  return WHY_NOT[shape]?.[check]
}

const WHY_NOT: Readonly<Partial<Record<RowShape, Partial<Record<FileCheckName, string>>>>> = {
  trajectories: {
    mixedPrompts: 'the rows do not say which trajectories are one group',
    equalRewards: 'the rows do not say which trajectories are one group',
  },
  exported: {
    changedAnswers: NO_CHOICES,
    cutOffAnswers: NO_CHOICES,
  },
  sft: {
    mixedPrompts: 'SFT rows have no groups',
    nonFiniteRewards: 'SFT rows have no rewards',
    equalRewards: 'SFT rows have no rewards',
    changedAnswers: NO_CHOICES,
    cutOffAnswers: NO_CHOICES,
    missingLogprobs: NO_CHOICES,
  },
}

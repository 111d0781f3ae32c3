import { useState } from 'preact/hooks'
import { fullName } from '../parts/names.js'
import { useQuery } from '../routes.js'
import { baseModels } from './base-models.js'
import { call } from './control.js'
import { useLoaded } from './use-loaded.js'

interface ChosenModel {
  model: string
  setModel: (model: string) => void
  names: readonly string[]
  /** Whether the field waits for the first name. */
  isLoading: boolean
}

/** The model that the user chose. Until then, it is the first one. It is in the address. */
export function useChatModel(): ChosenModel {
  const [written, setWritten] = useQuery('model')
  const [isCleared, setCleared] = useState(false)
  const { names, loading } = useModelNames()
  const isOpen = written === '' && !isCleared
  const setModel = (model: string): void => {
    setCleared(model === '')
    setWritten(model)
  }
  return {
    model: isOpen ? (names[0] ?? '') : written,
    setModel,
    names,
    isLoading: loading && isOpen,
  }
}

/** The base models of the scenario, the trained models, and their served checkpoints, newest first. */
function useModelNames(): { names: readonly string[]; loading: boolean } {
  const { value, error } = useLoaded(async () => {
    const [base, { models }] = await Promise.all([baseModels(), call('GET /models')])
    const trained = models.toReversed().flatMap((model) => {
      const served = model.checkpoints.filter((each) => each.served).toReversed()
      return [fullName(model), ...served.map(({ step }) => `${fullName(model)}:step${step}`)]
    })
    return [...trained, ...base]
  })
  return { names: value ?? [], loading: value === undefined && error === undefined }
}

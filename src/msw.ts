// The entry `svtrain-emulator/msw`: the emulator and the sink as MSW handlers.

export { handlers, type HandlersOptions, type Mocked, sinkHandler } from './adapters/msw.js'

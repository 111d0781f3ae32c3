import { LLMock } from '@copilotkit/aimock'

const [port] = process.argv.slice(2)
await new LLMock({ host: '127.0.0.1', port: Number(port), logLevel: 'silent' }).start()

/** The part of a structured logger (pino's shape) that the actors use. */
export type Logger = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** The bundler writes imported styles to files beside the scripts. */
declare module "*.css";

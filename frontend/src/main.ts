import './locale';
import './styles/base.css';
import { mount } from 'svelte';
import { connect } from './api';
import { App as State } from './state/app.svelte';
import App from './App.svelte';

const app = new State(await connect());
mount(App, { target: document.getElementById('app') as HTMLElement, props: { app } });
void app.start();

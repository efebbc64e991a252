package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// apiVersion is the version named in every path. A server of 4.x or 5.x answers it; older ones lack fields that we need.
const apiVersion = "v4.0.0"

// api speaks the part of Podman's libpod REST API that the sandbox needs, over one unix socket.
// The Go module of Podman itself cannot be had without its whole build, so the requests are typed here.
type api struct {
	http *http.Client
}

// newAPI gives a client of the service that listens on socket. Nothing is dialled yet.
func newAPI(socket string) *api {
	var d net.Dialer
	return &api{http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return d.DialContext(ctx, "unix", socket)
		},
		DisableCompression: true,
	}}}
}

func (a *api) close() { a.http.CloseIdleConnections() }

// apiError is an answer of the service that says no.
type apiError struct {
	Op      string // what was asked, such as "start container"
	Status  int    // HTTP status
	Cause   string // the innermost error, as the service tells it
	Message string // the whole chain
}

func (e *apiError) Error() string {
	m := e.Message
	if m == "" {
		m = e.Cause
	}
	return fmt.Sprintf("%s: podman answered %d: %s", e.Op, e.Status, strings.TrimSpace(m))
}

// isNotFound tells whether err says that the container is not there.
func isNotFound(err error) bool {
	var e *apiError
	return errors.As(err, &e) && e.Status == http.StatusNotFound
}

// decodeError reads an error answer: JSON {cause, message, response}, or plain text of a proxy or an unknown path.
func decodeError(op string, resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // best effort: a cut body still names the status
	e := &apiError{Op: op, Status: resp.StatusCode}
	var doc struct{ Cause, Message string }
	if json.Unmarshal(body, &doc) == nil && doc.Cause+doc.Message != "" {
		e.Cause, e.Message = doc.Cause, doc.Message
		return e
	}
	e.Message = string(body)
	if e.Message == "" {
		e.Message = http.StatusText(resp.StatusCode)
	}
	return e
}

// request sends one call and gives the answer if its status is below 400 (304 "already so" counts as success).
func (a *api) request(ctx context.Context, op, method, path string, query url.Values, body any) (*http.Response, error) {
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("%s: encoding the request: %w", op, err)
		}
		r = bytes.NewReader(b)
	}
	u := "http://podman/" + apiVersion + "/libpod" + path
	if len(query) > 0 {
		u += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, u, r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s: no answer from the podman service: %w", op, err)
	}
	if resp.StatusCode >= 400 {
		defer resp.Body.Close()
		return nil, decodeError(op, resp)
	}
	return resp, nil
}

// call is request for answers that are read at once, into out if it is not nil.
func (a *api) call(ctx context.Context, op, method, path string, query url.Values, body, out any) error {
	resp, err := a.request(ctx, op, method, path, query, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out != nil {
		if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
			return fmt.Errorf("%s: reading the answer: %w", op, err)
		}
	}
	_, err = io.Copy(io.Discard, resp.Body) // so that the connection can be used again
	if err != nil {
		return fmt.Errorf("%s: reading the answer: %w", op, err)
	}
	return nil
}

func (a *api) ping(ctx context.Context) error {
	return a.call(ctx, "ping podman", http.MethodGet, "/_ping", nil, nil, nil)
}

// serviceInfo is what the service says about itself and its OCI runtime.
type serviceInfo struct {
	Host struct {
		CgroupManager string `json:"cgroupManager"`
		CgroupVersion string `json:"cgroupVersion"`
		OCIRuntime    struct {
			Name, Path, Version string
		} `json:"ociRuntime"`
		Security struct {
			Rootless       bool `json:"rootless"`
			SeccompEnabled bool `json:"seccompEnabled"`
			SELinuxEnabled bool `json:"selinuxEnabled"`
		} `json:"security"`
	} `json:"host"`
	Version struct{ Version string } `json:"version"`
}

func (a *api) info(ctx context.Context) (serviceInfo, error) {
	var out serviceInfo
	err := a.call(ctx, "ask podman about itself", http.MethodGet, "/info", nil, nil, &out)
	return out, err
}

// containerSpec is the part of Podman's SpecGenerator that the sandbox sets. Field names are the server's.
type containerSpec struct {
	Command         []string          `json:"command"`
	Env             map[string]string `json:"env"`
	UnsetEnv        []string          `json:"unsetenv,omitempty"`
	User            string            `json:"user"`
	Groups          []string          `json:"groups,omitempty"`
	Hostname        string            `json:"hostname"`
	Labels          map[string]string `json:"labels"`
	Rootfs          string            `json:"rootfs,omitempty"`
	Image           string            `json:"image,omitempty"`
	Entrypoint      []string          `json:"entrypoint,omitempty"`
	WorkDir         string            `json:"work_dir"`
	Mounts          []specMount       `json:"mounts"`
	OverlayVolumes  []overlayVolume   `json:"overlay_volumes,omitempty"`
	CapDrop         []string          `json:"cap_drop"`
	NoNewPrivileges bool              `json:"no_new_privileges"`
	SeccompProfile  string            `json:"seccomp_profile_path,omitempty"`
	SelinuxOpts     []string          `json:"selinux_opts,omitempty"`
	ReadOnly        bool              `json:"read_only_filesystem"`
	NetNS           namespace         `json:"netns"`
	IPCNS           namespace         `json:"ipcns"`
	CgroupNS        namespace         `json:"cgroupns"`
	UserNS          *namespace        `json:"userns,omitempty"`
	UseImageHosts   bool              `json:"use_image_hosts"`
	UseImageResolve bool              `json:"use_image_resolve_conf"`
	ManagePassword  bool              `json:"manage_password"`
	HTTPProxy       bool              `json:"httpproxy"`
	Systemd         string            `json:"systemd"`
	Resources       *resources        `json:"resource_limits,omitempty"`
	Rlimits         []rlimit          `json:"r_limits,omitempty"`
	CgroupParent    string            `json:"cgroup_parent,omitempty"`
	Log             logConfig         `json:"log_configuration"`
	ShmSize         int64             `json:"shm_size"`
	Timeout         uint              `json:"timeout,omitempty"` // seconds after which the monitor kills: a backstop
}

type namespace struct {
	Mode  string `json:"nsmode"`
	Value string `json:"value,omitempty"`
}

type specMount struct {
	Destination string   `json:"destination"`
	Type        string   `json:"type"`
	Source      string   `json:"source"`
	Options     []string `json:"options"`
}

type overlayVolume struct {
	Destination string   `json:"destination"`
	Source      string   `json:"source"`
	Options     []string `json:"options"`
}

type logConfig struct {
	Driver string `json:"driver"`
}

// rlimit has a Type without the RLIMIT_ prefix: "nofile".
type rlimit struct {
	Type string `json:"type"`
	Hard uint64 `json:"hard"`
	Soft uint64 `json:"soft"`
}

type resources struct {
	Memory *memoryLimit `json:"memory,omitempty"`
	CPU    *cpuLimit    `json:"cpu,omitempty"`
	Pids   *pidsLimit   `json:"pids,omitempty"`
}

type memoryLimit struct {
	Limit int64 `json:"limit"`
	Swap  int64 `json:"swap"` // memory and swap together
}

type cpuLimit struct {
	Quota  int64  `json:"quota"`  // microseconds a period
	Period uint64 `json:"period"` // microseconds
}

type pidsLimit struct {
	Limit int64 `json:"limit"`
}

// create makes a container and gives its id and what the service warns about.
func (a *api) create(ctx context.Context, s containerSpec) (id string, warnings []string, err error) {
	var out struct {
		ID       string `json:"Id"`
		Warnings []string
	}
	if err := a.call(ctx, "create container", http.MethodPost, "/containers/create", nil, s, &out); err != nil {
		return "", nil, err
	}
	if out.ID == "" {
		return "", nil, errors.New("create container: podman answered without an id")
	}
	return out.ID, out.Warnings, nil
}

// attach opens the container's output. It returns when the stream stands, which also initialises the container, so that
// nothing is lost that is written after start. The stream is in frames, see demux; it ends when the container has ended.
func (a *api) attach(ctx context.Context, id string) (io.ReadCloser, error) {
	q := url.Values{"stream": {"true"}, "stdout": {"true"}, "stderr": {"true"}}
	resp, err := a.request(ctx, "attach to container", http.MethodPost, "/containers/"+id+"/attach", q, nil)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

func (a *api) start(ctx context.Context, id string) error {
	return a.call(ctx, "start container", http.MethodPost, "/containers/"+id+"/start", nil, nil, nil)
}

// containerState is what inspect tells.
type containerState struct {
	State struct {
		Status    string // created, initialized, running, stopped, exited
		Pid       int    // host process id of the container's first process; 0 when it has ended
		ExitCode  int
		OOMKilled bool
		Error     string
	}
	OCIRuntime string // what really ran: a name of the configuration, or a path
}

// ended tells whether exit code and memory flag are final.
func (s containerState) ended() bool {
	return s.State.Status == "exited" || s.State.Status == "stopped"
}

func (a *api) inspect(ctx context.Context, id string) (containerState, error) {
	var out containerState
	err := a.call(ctx, "inspect container", http.MethodGet, "/containers/"+id+"/json", nil, nil, &out)
	return out, err
}

// kill sends SIGKILL. A container that is not running any more is no error.
func (a *api) kill(ctx context.Context, id string) error {
	err := a.call(ctx, "kill container", http.MethodPost, "/containers/"+id+"/kill", url.Values{"signal": {"KILL"}}, nil, nil)
	var e *apiError
	if errors.As(err, &e) && (e.Status == http.StatusConflict || e.Cause == "container state improper" || isNotFound(err)) {
		return nil
	}
	return err
}

// remove kills and deletes. A container that is gone is no error.
func (a *api) remove(ctx context.Context, id string) error {
	q := url.Values{"force": {"true"}, "timeout": {"0"}, "v": {"true"}, "ignore": {"true"}}
	err := a.call(ctx, "delete container", http.MethodDelete, "/containers/"+id, q, nil, nil)
	if isNotFound(err) {
		return nil
	}
	return err
}

// list gives the ids of all containers, running or not, that carry the label key=value.
func (a *api) list(ctx context.Context, key, value string) ([]string, error) {
	f, err := json.Marshal(map[string][]string{"label": {key + "=" + value}})
	if err != nil {
		return nil, fmt.Errorf("list containers: %w", err)
	}
	var out []struct {
		ID string `json:"Id"`
	}
	q := url.Values{"all": {strconv.FormatBool(true)}, "filters": {string(f)}}
	if err := a.call(ctx, "list containers", http.MethodGet, "/containers/json", q, nil, &out); err != nil {
		return nil, err
	}
	ids := make([]string, len(out))
	for i, c := range out {
		ids[i] = c.ID
	}
	return ids, nil
}

# The state is read from the address of the backend, where there is none yet.
rm -rf .terraform
terraform init -input=false -no-color && echo answered 200
